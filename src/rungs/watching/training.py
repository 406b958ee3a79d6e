"""How far a training job is, from the log that it writes."""

import re
import time
from pathlib import Path
from typing import NamedTuple

from rungs.archive.archived import address
from rungs.configuration.schema import Run

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
