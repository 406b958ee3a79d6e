"""How long a running workflow still takes, from what its jobs took so far."""

import statistics
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.planning.reference import run_flops
from rungs.planning.schedule import Task, makespan
from rungs.records.events import Invocation, StartedJob
from rungs.watching.training import Progress

SECONDS_OF_A_SMALL_JOB = 5.0
"""Before one has finished that could say it better."""

Running = Sequence[tuple[StartedJob, Progress | None]]


def seconds_left(
    invocation: Invocation,
    running: Running,
    pending: Collection[Run],
    config: Config | None,
    now: datetime,
) -> float | None:
    """Return the seconds until the last job ends; None before any training job shows its pace.

    Args:
        invocation: the running one.
        running: its running jobs.
        pending: runs whose training has not started.
        config: tells long runs from short ones; without it all are taken to be as long.
        now: local time.
    """
    size = _size(config)
    paces = _paces(invocation, running, size, now)
    if pending and not paces:
        return None
    pace = statistics.median(paces) if paces else 0.0
    small = _small_seconds(invocation, now)
    tasks = []
    for job, progress in running:
        expected = pace * size(job.run) if job.run else small
        seconds = progress.seconds_left if progress else expected
        tasks.append(Task(seconds, priority=float("inf")))
    tasks += [Task(pace * size(run), priority=size(run)) for run in pending]
    started = sum(1 for job in invocation.jobs.values() if not job.failed)
    others = max(0, invocation.planned.total() - started - len(pending))
    tasks += [Task(small)] * others
    return makespan(tasks, invocation.cores)


def _size(config: Config | None) -> Callable[[Run], float]:
    """Return a function that gives a run's length, in units that `_paces` measures."""

    def size(run: Run) -> float:
        known = config and run.budget in config.budgets and run.variant in config.variants
        return float(run_flops(config, run)) if config and known else 1.0

    return size


def _paces(
    invocation: Invocation, running: Running, size: Callable[[Run], float], now: datetime
) -> list[float]:
    """Return seconds per unit of `_size`, of every run that has ended or has come some way."""
    paces = [
        job.seconds(now) / size(job.run) for job in invocation.jobs.values() if job.run and job.end
    ]
    for job, progress in running:
        if job.run and progress:
            whole = job.seconds(now) + progress.seconds_left
            paces.append(whole / size(job.run))
    return paces


def _small_seconds(invocation: Invocation, now: datetime) -> float:
    """Return the mean length of jobs that train nothing, running ones as far as they are."""
    seconds = [
        job.seconds(now) for job in invocation.jobs.values() if not job.failed and not job.run
    ]
    return statistics.mean(seconds) if seconds else SECONDS_OF_A_SMALL_JOB
