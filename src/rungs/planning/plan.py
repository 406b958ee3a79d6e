"""`plan`: what would run, and how long it would take, before anything runs."""

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from rungs.config import read_config
from rungs.durations import duration
from rungs.errors import UserError
from rungs.planning import memory, scenarios
from rungs.planning.corpora import sizes
from rungs.planning.devices import Gpu
from rungs.planning.estimate import Cost, Estimator
from rungs.planning.jobs import (
    ConfigFiles,
    ConfigValues,
    Directory,
    Job,
    Targets,
    jobs_to_run,
    snakemake_words,
    workflow_folder,
)
from rungs.planning.machine import Calibration
from rungs.planning.measure import CalibrationFile, all_cores, calibrated
from rungs.planning.shortage import shortages
from rungs.stages import OF_RULE, PARTS

BUSY = 0.1
"""Share of the time without a core from which a measurement is one of a busy machine."""


def run(
    target: Targets = (),
    /,
    *,
    cores: Annotated[int, "by default all"] = all_cores(),
    configfile: ConfigFiles = (),
    config: ConfigValues = (),
    directory: Directory = Path(),
    calibration: CalibrationFile = None,
    gpu_tflops: Annotated[
        float, "documented float32 rate of a GPU (%(default)g: H100 SXM)"
    ] = Gpu().tflops,
    slurm_jobs: Annotated[int, "at once (%(default)s)"] = 50,
    slurm_wait: Annotated[float, "seconds a job waits (%(default)g)"] = 60.0,
) -> str:
    """Print the plan and return it in one line.

    Raises:
        UserError: this is not the workflow's folder, a GPU has no rate, Snakemake
            refuses the targets or the configuration, or the calibration cannot be read.
    """
    root = workflow_folder()
    if gpu_tflops <= 0:
        raise UserError(f"--gpu-tflops: {gpu_tflops:g} is no rate; give more than 0")
    configured = read_config(root / "config.yaml", *configfile, values=config)
    asked = time.monotonic()
    words = snakemake_words(target, directory, configfile, config)
    jobs = jobs_to_run([*words, "--cores", str(cores)], directory)
    asking_seconds = time.monotonic() - asked
    if not jobs:
        return "Nothing to do: every file is there and up to date"
    measured = calibrated(calibration, cores)
    estimator = Estimator(configured, sizes(configured, directory, root / "data"), measured, cores)
    costs = [estimator.cost(job) for job in jobs]
    mib = _memory_limit(root / "profiles/default/profile.yaml")
    seconds = asking_seconds + scenarios.here(jobs, costs, cores, mib, measured)
    console = Console(highlight=False)
    console.print(_stages(jobs, costs, plain=not console.is_terminal))
    gpu = scenarios.with_gpu(jobs, costs, configured, Gpu(gpu_tflops), cores, measured)
    slurm, submitted = scenarios.on_slurm(jobs, costs, configured, slurm_jobs, slurm_wait)
    crowded = f", {measured.crowding:.2f} times slower with all busy" if cores > 1 else ""
    for line in (
        "",
        *_doubts(cores, measured),
        f"[bold]{duration(seconds)}[/] on this machine with {_cores(cores)} (measured)",
        f"  {measured.machine}",
        f"  {measured.matmul_gflops:.0f} GFLOP/s in large products, one thread{crowded}",
        f"[bold]{duration(gpu)}[/] with one GPU besides (assumed)",
        f"  {gpu_tflops:g} TFLOP/s documented for float32, half of it reached, "
        "8 µs to launch a kernel",
        f"[bold]{duration(slurm)}[/] on a SLURM partition (assumed)",
        f"  {submitted:,} jobs of one core like ours, {slurm_jobs} at once, "
        f"each waits {slurm_wait:g} s first",
        "",
    ):
        console.print(line, soft_wrap=True)
    for problem in shortages(costs, directory):
        console.print(f"[bold]{problem}[/]", soft_wrap=True)
    core_seconds = sum(cost.seconds for cost in costs)
    return (
        f"{len(jobs):,} jobs, {duration(core_seconds)} of work: "
        f"about {duration(seconds)} on {_cores(cores)} of this machine"
    )


def _stages(jobs: Sequence[Job], costs: Sequence[Cost], plain: bool) -> Table:
    """Return the table: one row per part, and their sum."""
    by_part: dict[str, list[Cost]] = defaultdict(list)
    for job, cost in zip(jobs, costs, strict=True):
        if job.rule in OF_RULE:  # the others only name targets
            by_part[OF_RULE[job.rule].part].append(cost)
    table = Table(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    everything = [cost for part in by_part.values() for cost in part]
    headings = ("jobs", "TFLOP", "work", "longest", "memory", "disk")
    table.add_column("stage", footer="total", no_wrap=True)
    for heading, cell in zip(headings, _cells(everything), strict=True):
        table.add_column(heading, justify="right", footer=cell, no_wrap=True)
    for part in PARTS:
        if part in by_part:
            table.add_row(part, *_cells(by_part[part]))
    return table


def _cells(costs: Sequence[Cost]) -> tuple[str, ...]:
    operations = sum(cost.flops for cost in costs) / 1e12
    return (
        f"{len(costs):,}",
        f"{operations:,.{0 if operations > 100 else 1}f}" if operations else "",
        duration(sum(cost.seconds for cost in costs)),
        duration(max(cost.seconds for cost in costs)),
        f"{max(cost.mib for cost in costs):,.0f} MiB",
        f"{sum(cost.bytes for cost in costs) / memory.MIB:,.1f} MiB",
    )


def _doubts(cores: int, calibration: Calibration) -> list[str]:
    """Return why it may take another time than the one that is said."""
    said = []
    if cores > all_cores():
        said.append(
            f"This machine has {_cores(all_cores())}, not {cores}: the time is of one that has\n"
            "so many; here, jobs would wait for one another"
        )
    if calibration.lost > BUSY:
        said.append(
            f"Measured on a busy machine: other processes had its cores {calibration.lost:.0%} of\n"
            "the time. What follows holds while it is as busy; a quiet one is faster"
        )
    return said


def _memory_limit(profile: Path) -> float:
    """Return the MiB that jobs may ask for together, as the profile sets it."""
    limits = yaml.safe_load(profile.read_bytes()).get("resources", []) if profile.exists() else []
    named = dict(str(limit).split("=", 1) for limit in limits)
    return float(named.get("mem_mb", "inf"))


def _cores(count: int) -> str:
    return f"{count} core" if count == 1 else f"{count} cores"
