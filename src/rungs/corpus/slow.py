"""How far work is that is mostly too short to show."""

import sys
import time

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
