"""How long each stage took, from the descriptions of the runs and the logs of the jobs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TOOK = re.compile(
    r"^\d\d:\d\d:\d\d (?P<stage>[a-z-]+) took (?P<wall>[\d.]+) s, (?P<core>[\d.]+) s of processor",
    re.MULTILINE,
)
"""The last line that ``rungs.cli`` writes into a job's log."""


@dataclass(frozen=True)
class StageTime:
    """All jobs of one stage together; seconds, of the clock and of processor cores."""

    stage: str
    jobs: int
    wall: float
    core: float

    @property
    def words(self) -> tuple[str, str, str, str]:
        """The stage as a row of a table."""
        return self.stage, f"{self.jobs:,}", time_taken(self.wall), time_taken(self.core)


def stage_times(descriptions: Iterable[dict[str, object]], logs: Path) -> list[StageTime]:
    """Return the stages, the longest first.

    Training is what the runs say of themselves, all starts of each together; the other stages are
    what the logs say that are still there.
    """
    runs = [
        (float(str(run["seconds"])), float(str(run["core_seconds"])))
        for run in descriptions
        if "core_seconds" in run
    ]
    found = {"train": runs} if runs else {}
    for path in sorted(logs.rglob("*.log")):
        for line in TOOK.finditer(path.read_text("utf-8", errors="replace")):
            if line["stage"] != "train":
                found.setdefault(line["stage"], []).append(
                    (float(line["wall"]), float(line["core"]))
                )
    times = [
        StageTime(stage, len(jobs), sum(wall for wall, _ in jobs), sum(core for _, core in jobs))
        for stage, jobs in found.items()
    ]
    return sorted(times, key=lambda time: (-time.wall, time.stage))


def time_taken(seconds: float) -> str:
    """Return ``4.2 s``, ``3 min 20 s`` or ``5 h 07 min``: measured, so finer than an estimate."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes:02d} min"
