"""What is going on in a working folder: running, dead, stopped or finished, and how far."""

import platform
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Literal

import psutil

from rungs.config import Config
from rungs.records.events import Invocation, StartedJob, last_invocation
from rungs.stages import OF_RULE, PARTS
from rungs.watching.remaining import seconds_left
from rungs.watching.training import Progress, progress_of

Status = Literal["nothing", "starting", "running", "elsewhere", "dead", "stopped", "finished"]


@dataclass(frozen=True)
class State:
    """A working folder at one moment.

    Attributes:
        status: ``nothing`` was ever run; ``starting``, its graph being built; ``running`` here;
            ``elsewhere``, on another host that cannot be asked; ``dead``, gone without a goodbye;
            ``stopped``, at a failure or on request; ``finished``.
        invocation: the last one of Snakemake, None where nothing was planned yet.
        stages: done and planned jobs by stage.
        running: jobs that were started and have not ended, with the progress of those that train.
        seconds_left: until everything is done, None where that is not to be expected.
        silent_seconds: since a log was written to.
    """

    status: Status
    invocation: Invocation | None
    stages: dict[str, tuple[int, int]]
    running: list[tuple[StartedJob, Progress | None]]
    seconds_left: float | None
    silent_seconds: float


def look(folder: Path, config: Config | None, now: datetime) -> State:
    """Return what is going on in the working folder.

    Args:
        folder: the working folder, which holds ``.snakemake``, ``logs`` and ``results``.
        config: for the relative length of runs, if it is known.
        now: local time.
    """
    invocation = last_invocation(folder)
    if (invocation is None or invocation.ended) and _snakemake_works_in(folder):
        return State("starting", None, {}, [], None, 0.0)
    if invocation is None:
        return State("nothing", None, {}, [], None, 0.0)
    status = _status(invocation)
    running = [
        (job, progress_of(folder, job.run) if job.run else None)
        for job in invocation.jobs.values()
        if job.running
    ]
    left = None
    if status in ("running", "elsewhere"):
        pending = invocation.planned_runs - {job.run for job in invocation.jobs.values()}
        left = seconds_left(invocation, running, pending, config, now)
    silence = _silence(folder, invocation, now)
    return State(status, invocation, _stages(invocation), running, left, silence)


def _stages(invocation: Invocation) -> dict[str, tuple[int, int]]:
    counts = dict.fromkeys(PARTS, (0, 0))
    for rule, planned in invocation.planned.items():
        if stage := OF_RULE.get(rule):
            done, total = counts[stage.part]
            counts[stage.part] = done + invocation.done[rule], total + planned
    return {part: count for part, count in counts.items() if count[1]}


def _status(invocation: Invocation) -> Status:
    if invocation.ended:
        done, planned = invocation.steps
        return "finished" if done == planned else "stopped"
    if invocation.host != platform.node():
        return "elsewhere"
    return "running" if _is_snakemake(invocation.process) else "dead"


def _is_snakemake(process: int) -> bool:
    """Say whether a process of this number is there and is a Snakemake."""
    try:
        words = psutil.Process(process).cmdline()
    except psutil.Error:
        return False
    return any(Path(word).name == "snakemake" for word in words[:4])


def _snakemake_works_in(folder: Path) -> bool:
    """Say whether a Snakemake of this host has the folder as its working folder, or soon will."""
    wanted = folder.resolve()
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words, cwd = process.info["cmdline"] or [], process.info["cwd"]
        if cwd and any(Path(word).name == "snakemake" for word in words[:4]):
            # It goes to its folder after a second or two.
            typed = [word for option, word in pairwise(words) if option in ("--directory", "-d")]
            if wanted in (Path(cwd), *(Path(cwd, word).resolve() for word in typed)):
                return True
    return False


def _silence(folder: Path, invocation: Invocation, now: datetime) -> float:
    """Return the seconds since Snakemake or a training job was last heard of."""
    logs = (folder / "logs").glob("runs/*/*/*/*.log")
    heard = [datetime.fromtimestamp(path.stat().st_mtime) for path in logs]
    last = max([invocation.last_heard, *heard])
    return max(0.0, (now - last).total_seconds())  # a clock may have been set back
