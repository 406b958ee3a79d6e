"""Stage `take-sample`: put in place what a run of an archive wrote on."""

from pathlib import Path
from typing import Annotated

from rungs.archive.archived import read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.files import write_json


def run(
    *,
    archived: Annotated[Path, "one run of an archive, JSON"],
    experiment: Annotated[str, "in which it wrote on"],
    output: Annotated[Path, "JSON"],
) -> str:
    """Write the continuation as the run's own stage wrote it.

    Raises:
        UserError: the run's file is damaged.
    """
    record = read_archived(archived)
    refuse_implausible(archived, record)
    write_json(output, record.samples[experiment])
    return f"{output}: written elsewhere"
