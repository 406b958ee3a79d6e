"""How far slow work is: of a transfer a bar at a terminal, and a line every tenth in a log."""

import contextlib
import logging
import sys
import time
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

QUIET_SECONDS = 2.0
"""What takes no longer shows nothing."""


class Slow:
    """Progress of work that is mostly too short to show: a line after 2, 4, 8, ... seconds.

    Args:
        name: what is done.
        total: when it is done, in ``unit``.
        unit: what is counted.
    """

    def __init__(self, name: str, total: int, unit: str) -> None:
        self.name, self.total, self.unit = name, total, unit
        self.started = time.monotonic()
        self.next = QUIET_SECONDS

    def at(self, count: int) -> None:
        """Say how far the work is, if the next line is due."""
        passed = time.monotonic() - self.started
        if passed >= self.next:
            self.next = 2 * passed
            said = f"{self.name}: {count:,} of {self.total:,} {self.unit} after {passed:.0f} s"
            print(said, file=sys.stderr, flush=True)


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
