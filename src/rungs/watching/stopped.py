"""What is said after the last job: what failed, and which runs stopped at a checkpoint."""

import re
from collections.abc import Iterable
from pathlib import Path

from rungs.records.events import Invocation
from rungs.tables.numbers import counted
from rungs.watching.ends import last_words
from rungs.watching.screen import failures

STOPPED = re.compile(r"stopped at step \d+ of \d+; run again to continue")
"""What the training loop says then, at the end of its log (rungs.training.loop)."""


def what_failed(invocation: Invocation) -> list[str]:
    """Return a line for each of the last jobs that failed, and the way out; none if none did."""
    told = [line for line in failures(invocation) if not STOPPED.search(line)]
    way_out = "what is done is kept: mend what is named, then type the same command again"
    return [*told, way_out] if told else []


def stopped_runs(logs: Iterable[Path], since: float) -> int:
    """Return how many logs, written to since then, end with a run that stopped.

    Args:
        logs: of runs.
        since: seconds since the epoch.
    """
    return sum(
        log.stat().st_mtime >= since and bool(STOPPED.search(last_words(log))) for log in logs
    )


def left_checkpoints(folder: Path, typed: str) -> str | None:
    """Say what is kept of runs that have not gone on; None if nothing is.

    A checkpoint's name is a digest of settings, data and code, from which nobody can tell one that
    is given up from one that another configuration, or another branch, will come back to.

    Args:
        folder: of checkpoints, which need not exist.
        typed: the folder as a reader types it.
    """
    sizes = [path.stat().st_size for path in folder.glob("[!.]*.safetensors")]
    if not sizes:
        return None
    return (
        f"{counted(len(sizes), 'unfinished run')}, of other settings or targets, can go on from "
        f"{typed} ({sum(sizes) / 2**20:,.1f} MiB): delete that folder if none will"
    )
