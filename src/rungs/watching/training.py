"""How far a training job is, from the message that starts it and the log that it writes."""

import re
import time
from pathlib import Path
from typing import NamedTuple

from rungs.archive.archived import address
from rungs.configuration.schema import Run

_MESSAGE = re.compile(r"^Training (\w+) on (\w+), (\w+), seed (\d+)$")
_PROGRESS = re.compile(
    r"step (\d+) of (\d+), loss ([\d.naif]+), (\d+) tokens per second, (\d+) s left"
)


class Progress(NamedTuple):
    """The last progress line of a training job."""

    step: int
    steps: int
    loss: float
    """Of the step's batch, nats per token."""
    tokens_per_second: int
    seconds_left: float
    """From now, not from when the line was written."""


def run_of(message: str) -> Run | None:
    """Return the run that a job's message names, None if it is no training job's."""
    match = _MESSAGE.match(message)
    return Run(match[2], match[3], match[1], int(match[4])) if match else None


def progress_of(folder: Path, run: Run) -> Progress | None:
    """Return how far the run's log has come; None before its first line."""
    path = folder / "logs/runs" / f"{address(run)}.log"
    try:
        content = path.read_bytes()[-4_096:].decode(errors="replace")
        age = max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return None
    found = _PROGRESS.findall(content)
    if not found:
        return None
    step, steps, loss, rate, left = found[-1]
    return Progress(int(step), int(steps), float(loss), int(rate), max(0.0, float(left) - age))
