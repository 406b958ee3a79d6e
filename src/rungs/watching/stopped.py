"""Runs that were told to stop, and did so at a checkpoint."""

from collections.abc import Iterable
from pathlib import Path

LAST_WORDS = "run again to continue"
"""How the training loop ends its log then (rungs.training.loop)."""


def stopped_runs(logs: Iterable[Path], since: float) -> int:
    """Return how many logs, written to since then, end with a run that stopped.

    Args:
        logs: of runs.
        since: seconds since the epoch.
    """
    return sum(
        log.stat().st_mtime >= since
        and log.read_text("utf-8", errors="replace").rstrip().endswith(LAST_WORDS)
        for log in logs
    )
