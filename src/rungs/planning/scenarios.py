"""How long the jobs take in three places: here, with a GPU, on a SLURM partition."""

import itertools
from collections.abc import Mapping, Sequence

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.planning import reference
from rungs.planning.devices import Gpu
from rungs.planning.estimate import Cost
from rungs.planning.jobs import Job
from rungs.planning.machine import Calibration
from rungs.planning.schedule import Task, makespan
from rungs.stages import OF_RULE

ON_GPU = ("train", "evaluate", "kernel")
"""Rules whose operations a GPU takes over; what else computes does so on the processor."""
SECONDS_TO_HAND_OVER = 0.1
"""By Snakemake, between two jobs."""


def here(
    jobs: Sequence[Job], costs: Sequence[Cost], cores: int, mib: float, calibration: Calibration
) -> float:
    """Return the seconds on this machine; jobs that run at once slow each other down."""
    crowding = 1.0
    if cores > 1:  # between one process and as many as were measured, in proportion
        measured = max(calibration.processes - 1, 1)
        crowding += (calibration.crowding - 1) * min(cores - 1, measured) / measured
    tasks = [
        Task(
            cost.seconds * (1.0 if cost.cores == cores else crowding) + SECONDS_TO_HAND_OVER,
            job.after, cost.cores, cost.mib, cost.priority,
        )
        for job, cost in zip(jobs, costs, strict=True)
    ]  # fmt: skip
    return makespan(tasks, cores, mib)


def with_gpu(
    jobs: Sequence[Job],
    costs: Sequence[Cost],
    config: Config,
    gpu: Gpu,
    cores: int,
    calibration: Calibration,
) -> float:
    """Return the seconds with one GPU that as many processes share as there are cores.

    Launching overlaps between processes, computing does not: the total is the longer of the
    schedule, in which every run has the device to itself, and of all operations one by one.
    """
    tasks = []
    for job, cost in zip(jobs, costs, strict=True):
        seconds = cost.seconds
        if job.rule == "train":
            budget = config.budgets[job.wildcards["budget"]]
            seconds = calibration.start_up.torch + budget.steps * gpu.step_seconds(
                config.variants[job.wildcards["variant"]],
                config.corpora[job.wildcards["corpus"]].vocabulary,
                budget.batch_size,
                budget.context_length,
            )
        elif job.rule in ON_GPU and cost.flops:
            seconds = calibration.start_up.torch + gpu.busy_seconds(cost.flops)
        tasks.append(Task(seconds, job.after, cost.cores, 0.0, cost.priority))
    taken_over = sum(
        cost.flops for job, cost in zip(jobs, costs, strict=True) if job.rule in ON_GPU
    )
    return max(makespan(tasks, cores), gpu.busy_seconds(taken_over))


EVALUATIONS = ("evaluate", "evaluate_referents")


def on_slurm(
    jobs: Sequence[Job], costs: Sequence[Cost], config: Config, at_once: int, wait_seconds: float
) -> tuple[float, int]:
    """Return the seconds on a partition, and the number of jobs that are submitted.

    A submitted job has one core as fast as ours, and waits before it starts. A run and its
    evaluation are one job, and short runs share one, as the workflow groups them.
    """
    groups = _groups(jobs, config)
    members: list[list[int]] = [[] for _ in range(max(groups, default=-1) + 1)]
    for index, group in enumerate(groups):
        members[group].append(index)
    remote = [any(_submitted(jobs[i]) for i in indices) for indices in members]
    tasks = [
        Task(
            sum(costs[i].seconds for i in indices) + remote[group] * wait_seconds,
            tuple({groups[k] for i in indices for k in jobs[i].after} - {group}),
            priority=sum(costs[i].priority for i in indices),
        )
        for group, indices in enumerate(members)
    ]
    return makespan(tasks, at_once), sum(remote)


def _submitted(job: Job) -> bool:
    return job.rule in OF_RULE and not OF_RULE[job.rule].local


def _groups(jobs: Sequence[Job], config: Config) -> list[int]:
    """Return for each job the number of the cluster job that it is part of."""
    numbers = itertools.count()
    groups: list[int] = []
    filling: dict[int, tuple[int, int]] = {}  # by size: a group's number, and its runs so far
    for job in jobs:
        runs = [i for i in job.after if jobs[i].rule == "train"]
        if job.rule == "train":
            size = reference.runs_per_group(config, run_of(job.wildcards))
            number, runs_so_far = filling.get(size, (0, size))
            if runs_so_far == size:
                number, runs_so_far = next(numbers), 0
            filling[size] = (number, runs_so_far + 1)
            groups.append(number)
        elif job.rule in EVALUATIONS and runs:
            groups.append(groups[runs[0]])
        else:
            groups.append(next(numbers))
    return groups


def run_of(wildcards: Mapping[str, str]) -> Run:
    """Return the run that a job's wildcards name."""
    w = wildcards
    return Run(w["corpus"], w["budget"], w["variant"], int(w["seed"]))
