"""What is going on in a working folder: running, dead, stopped or finished, and how far."""

import platform
import re
import time
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Literal

import psutil

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.planning.stages import ORDER, stage_of
from rungs.watching.log import SnakemakeLog, Started, newest_log, plans_now
from rungs.watching.remaining import seconds_left
from rungs.watching.training import Progress, progress_of, run_of

Status = Literal["nothing", "starting", "running", "elsewhere", "dead", "stopped", "finished"]

_RUN = re.compile(r"^results/runs/(\w+)/(\w+)/(\w+)/seed(\d+)/")


@dataclass(frozen=True)
class State:
    """A working folder at one moment.

    Attributes:
        status: ``nothing`` was ever run; ``starting``, its graph being built; ``running`` here;
            ``elsewhere``, on another host that cannot be asked; ``dead``, gone without a goodbye;
            ``stopped``, at a failure or on request; ``finished``.
        log: of the last invocation of Snakemake, None where nothing was planned yet.
        stages: done and planned jobs by stage.
        running: jobs that were started and have not ended, with the progress of those that train.
        seconds_left: until everything is done, None where that is not to be expected.
        silent_seconds: since a log was written to.
    """

    status: Status
    log: SnakemakeLog | None
    stages: dict[str, tuple[int, int]]
    running: list[tuple[Started, Run | None, Progress | None]]
    seconds_left: float | None
    silent_seconds: float


def look(folder: Path, config: Config | None, now: datetime) -> State:
    """Return what is going on in the working folder.

    Args:
        folder: the working folder, which holds ``.snakemake``, ``logs`` and ``results``.
        config: for the relative length of runs, if it is known.
        now: local time, in which Snakemake writes.
    """
    works = _snakemake_works_in(folder)
    if works and plans_now(folder):
        return State("starting", None, {}, [], None, 0.0)
    log = newest_log(folder)
    if log is None:
        return State("nothing", None, {}, [], None, 0.0)
    status = "running" if works else _status(folder, log)
    running = [
        (job, run, progress_of(folder, run) if run else None)
        for job in log.jobs.values()
        if job.running
        for run in [run_of(job.message)]
    ]
    left = None
    if status in ("running", "elsewhere"):
        pending = _locked_runs(folder) - {run_of(job.message) for job in log.jobs.values()}
        left = seconds_left(log, running, pending, config, now)
    return State(status, log, _stages(log), running, left, _silence(folder, log))


def _stages(log: SnakemakeLog) -> dict[str, tuple[int, int]]:
    counts = dict.fromkeys(ORDER, (0, 0))
    for rule, planned in log.planned.items():
        if rule != "all":
            done, total = counts[stage_of(rule)]
            counts[stage_of(rule)] = done + log.done[rule], total + planned
    return {stage: count for stage, count in counts.items() if count[1]}


def _status(folder: Path, log: SnakemakeLog) -> Status:
    locked = any((folder / ".snakemake/locks").glob("*.lock"))
    if locked:
        return "dead" if log.header.get("Host") == platform.node() else "elsewhere"
    return "finished" if log.complete else "stopped"


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


def _locked_runs(folder: Path) -> set[Run]:
    """Return the runs that the running Snakemake makes: it locks their files for writing."""
    runs = set()
    for path in (folder / ".snakemake/locks").glob("*.output.lock"):
        try:
            lines = path.read_text().splitlines()
        except OSError:  # gone in between
            continue
        for match in filter(None, map(_RUN.match, lines)):
            runs.add(Run(match[1], match[2], match[3], int(match[4])))
    return runs


def _silence(folder: Path, log: SnakemakeLog) -> float:
    """Return the seconds since Snakemake or a training job last wrote to its log."""
    paths = [log.path, *(folder / "logs").glob("runs/*/*/*/*.log")]
    last = max(path.stat().st_mtime for path in paths if path.exists())
    return max(0.0, time.time() - last)  # a clock may have been set back
