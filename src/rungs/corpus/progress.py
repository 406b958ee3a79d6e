"""How far a transfer is: a bar for a person at a terminal, a line every tenth for a log."""

import contextlib
import logging
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def transfer(name: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield the function that is told of every ``count`` bytes of ``total``, None if unknown."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _logging(name, total)
        return
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(TextColumn("{task.description}"), *columns, console=console) as progress:
        task = progress.add_task(name, total=total)
        yield lambda count: progress.advance(task, count)


def _logging(name: str, total: int | None) -> Callable[[int], None]:
    received = tenths = 0

    def advance(count: int) -> None:
        nonlocal received, tenths
        received += count
        if total and received * 10 // total > tenths:
            tenths = received * 10 // total
            logger.info("%s: %d %% of %s bytes", name, 10 * tenths, f"{total:,}")

    return advance
