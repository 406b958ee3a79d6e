"""The clock of a run: its rate, the time left, and what is due at intervals."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rungs.training.budget import Budget
from rungs.training.checkpoint import Progress


class Stopwatch:
    """Times a run, and the training steps of one of its processes without the validations.

    Uses the monotonic clock, which setting the machine's clock does not move.

    Args:
        budget: the run's.
        progress: what earlier processes of the run have done.
    """

    def __init__(self, budget: Budget, progress: Progress) -> None:
        self.budget = budget
        self.earlier = progress
        self.started = self.first_started = time.monotonic()
        self.core_started = time.process_time()
        self.last: dict[str, float] = {}

    def seconds(self) -> float:
        """Return what the run has taken so far, of the clock."""
        return self.earlier.seconds + time.monotonic() - self.first_started

    def core_seconds(self) -> float:
        """Return what the run has taken so far, of processor cores."""
        return self.earlier.core_seconds + time.process_time() - self.core_started

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time spent in this context."""
        before = time.monotonic()
        yield
        self.started += time.monotonic() - before

    def every(self, seconds: float, what: str) -> bool:
        """Say whether ``what`` is due again; first due after ``seconds``."""
        now = time.monotonic()
        if now - self.last.setdefault(what, now) < seconds:
            return False
        self.last[what] = now
        return True

    def tokens_per_second(self, done: int) -> float:
        """Return the rate from the first step of this process to step ``done``."""
        tokens = self.budget.batch_size * self.budget.context_length
        seconds = time.monotonic() - self.started
        return (done - self.earlier.step) * tokens / max(seconds, 1e-9)

    def seconds_left(self, done: int) -> float:
        """Return the time the remaining steps take at the rate so far."""
        tokens = self.budget.batch_size * self.budget.context_length
        return (self.budget.steps - done) * tokens / self.tokens_per_second(done)
