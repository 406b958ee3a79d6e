"""Records around a stage: what it reads is checked, and what it was is written down."""

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rungs.errors import UserError
from rungs.records import stages, written

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def recording(command: Sequence[str], module: str, arguments: Mapping[str, Any]) -> Iterator[None]:
    """Check the stage's files before it runs, and record it when it ends well.

    Only in a folder of Snakemake's. Code is read before the stage runs, so that an edit meanwhile
    is not taken for what ran. A record that cannot be written costs nothing but a sentence of
    ``why``.

    Args:
        command: the words after ``python -m rungs``.
        module: the stage's module.
        arguments: what the stage is called with, by name.

    Raises:
        UserError: a file is not what its stage wrote.
    """
    # What looks at a workflow is told where it is; a stage runs in its folder.
    if "directory" in arguments or not Path(".snakemake").is_dir():
        yield
        return
    written.refuse_changed(arguments)
    log = stages.log_of(command)
    stage = stages.start(log, command, module) if log else None
    before = written.stamps(arguments)
    yield
    try:
        written.write(arguments, before)
        if stage is not None:
            stages.write(stage)
    except (OSError, UserError) as error:
        logger.warning("no record of this stage is kept: %s", error)
