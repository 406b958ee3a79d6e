"""The clock of a run: its rate, the time left, and what is due at intervals."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rungs.training.budget import Budget


class Stopwatch:
    """Times the training steps of one process, without its validations.

    Uses the monotonic clock, which setting the machine's clock does not move.
    """

    def __init__(self, budget: Budget, first_step: int) -> None:
        self.budget = budget
        self.first_step = first_step
        self.started = time.monotonic()
        self.last: dict[str, float] = {}

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
        return (done - self.first_step) * tokens / max(seconds, 1e-9)

    def seconds_left(self, done: int) -> float:
        """Return the time the remaining steps take at the rate so far."""
        tokens = self.budget.batch_size * self.budget.context_length
        return (self.budget.steps - done) * tokens / self.tokens_per_second(done)
