"""`plan`: what would run, and how long it would take, before anything runs."""

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from rungs.config import Config, read_config
from rungs.durations import duration
from rungs.errors import UserError
from rungs.files import write_json
from rungs.planning import memory, scenarios
from rungs.planning.corpora import sizes
from rungs.planning.devices import Gpu
from rungs.planning.estimate import Cost, Estimator
from rungs.planning.jobs import Job, jobs_to_run
from rungs.planning.machine import Calibration, load
from rungs.planning.measure import measure
from rungs.planning.shortage import shortages
from rungs.planning.stages import ORDER, stage_of

BUSY = 0.1
"""Share of the time without a core from which a measurement is one of a busy machine."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; those that Snakemake knows have its names."""
    parser.add_argument("target", nargs="*", help="files to make; by default everything")
    parser.add_argument("--cores", type=int, default=_all_cores(), help="by default all")
    parser.add_argument("--configfile", type=Path, nargs="+", default=[], metavar="FILE")
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ is")
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="read the calibration stored there; where there is none, calibrate and store it",
    )
    parser.add_argument(
        "--gpu-tflops",
        type=float,
        default=Gpu().tflops,
        help="documented float32 rate of a GPU (%(default)g: H100 SXM)",
    )
    parser.add_argument("--slurm-jobs", type=int, default=50, help="at once (%(default)s)")
    parser.add_argument(
        "--slurm-wait", type=float, default=60.0, help="seconds a job waits (%(default)g)"
    )


def run(arguments: argparse.Namespace) -> str:
    """Print the plan and return it in one line.

    Raises:
        UserError: this is not the workflow's folder, there are no cores or a GPU without a rate,
            Snakemake refuses the targets or the configuration, or the calibration cannot be read.
    """
    root = Path.cwd()
    if not (root / "Snakefile").exists():
        raise UserError(f"{root}: has no Snakefile; run this in the folder of the workflow")
    if arguments.cores < 1:
        raise UserError(f"cores: {arguments.cores} is no number of cores; give 1 or more")
    if arguments.gpu_tflops <= 0:
        raise UserError(f"--gpu-tflops: {arguments.gpu_tflops:g} is no rate; give more than 0")
    config = read_config(root / "config.yaml", *arguments.configfile, values=arguments.config)
    asked = time.monotonic()
    jobs = jobs_to_run(_snakemake_words(arguments), arguments.directory)
    asking_seconds = time.monotonic() - asked
    if not jobs:
        return "Nothing to do: every file is there and up to date"
    calibration = _calibration(arguments)
    folder = arguments.directory
    estimator = Estimator(
        config, sizes(config, folder, root / "data"), calibration, arguments.cores
    )
    costs = [estimator.cost(job) for job in jobs]
    mib = _memory_limit(root / "profiles/default/profile.yaml")
    seconds = asking_seconds + scenarios.here(jobs, costs, arguments.cores, mib, calibration)
    console = Console(highlight=False)
    console.print(_stages(jobs, costs, plain=not console.is_terminal))
    for line in _scenarios(arguments, config, jobs, costs, calibration, seconds):
        console.print(line, soft_wrap=True)
    for problem in shortages(costs, folder):
        console.print(f"[bold]{problem}[/]", soft_wrap=True)
    core_seconds = sum(cost.seconds for cost in costs)
    return (
        f"{len(jobs):,} jobs, {duration(core_seconds)} of work: "
        f"about {duration(seconds)} on {_cores(arguments.cores)} of this machine"
    )


def _stages(jobs: Sequence[Job], costs: Sequence[Cost], plain: bool) -> Table:
    """Return the table: one row per stage, and their sum."""
    by_stage: dict[str, list[Cost]] = defaultdict(list)
    for job, cost in zip(jobs, costs, strict=True):
        if job.rule != "all":
            by_stage[stage_of(job.rule)].append(cost)
    table = Table(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    everything = [cost for stage in by_stage.values() for cost in stage]
    headings = ("jobs", "TFLOP", "work", "longest", "memory", "disk")
    table.add_column("stage", footer="total", no_wrap=True)
    for heading, cell in zip(headings, _cells(everything), strict=True):
        table.add_column(heading, justify="right", footer=cell, no_wrap=True)
    for stage in ORDER:
        if stage in by_stage:
            table.add_row(stage, *_cells(by_stage[stage]))
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


def _scenarios(
    arguments: argparse.Namespace,
    config: Config,
    jobs: Sequence[Job],
    costs: Sequence[Cost],
    calibration: Calibration,
    seconds: float,
) -> list[str]:
    """Return the three places in words, each with what it assumes."""
    cores = arguments.cores
    gpu = scenarios.with_gpu(jobs, costs, config, Gpu(arguments.gpu_tflops), cores, calibration)
    slurm, submitted = scenarios.on_slurm(
        jobs, costs, config, arguments.slurm_jobs, arguments.slurm_wait
    )
    crowded = f", {calibration.crowding:.2f} times slower with all busy" if cores > 1 else ""
    return [
        "",
        *_doubts(cores, calibration),
        f"[bold]{duration(seconds)}[/] on this machine with {_cores(cores)} (measured)",
        f"  {calibration.machine}",
        f"  {calibration.matmul_gflops:.0f} GFLOP/s in large products, one thread{crowded}",
        f"[bold]{duration(gpu)}[/] with one GPU besides (assumed)",
        f"  {arguments.gpu_tflops:g} TFLOP/s documented for float32, half of it reached, "
        "8 µs to launch a kernel",
        f"[bold]{duration(slurm)}[/] on a SLURM partition (assumed)",
        f"  {submitted:,} jobs of one core like ours, {arguments.slurm_jobs} at once, "
        f"each waits {arguments.slurm_wait:g} s first",
        "",
    ]


def _doubts(cores: int, calibration: Calibration) -> list[str]:
    """Return why it may take another time than the one that is said."""
    said = []
    if cores > _all_cores():
        said.append(
            f"This machine has {_cores(_all_cores())}, not {cores}: the time is of one that has\n"
            "so many; here, jobs would wait for one another"
        )
    if calibration.lost > BUSY:
        said.append(
            f"Measured on a busy machine: other processes had its cores {calibration.lost:.0%} of\n"
            "the time. What follows holds while it is as busy; a quiet one is faster"
        )
    return said


def _calibration(arguments: argparse.Namespace) -> Calibration:
    path = arguments.calibration
    if path is not None and path.exists():
        return load(path)
    with Console(stderr=True).status("Measuring this machine, ten to twenty seconds"):
        calibration = measure(min(arguments.cores, _all_cores()))
    if path is not None:
        write_json(path, calibration.model_dump(mode="json"))
    return calibration


def _snakemake_words(arguments: argparse.Namespace) -> list[str]:
    words = [*arguments.target, "--cores", str(arguments.cores)]
    words += ["--directory", str(arguments.directory)]
    if arguments.configfile:
        words += ["--configfile", *map(str, arguments.configfile)]
    if arguments.config:
        words += ["--config", *arguments.config]
    return words


def _memory_limit(profile: Path) -> float:
    """Return the MiB that jobs may ask for together, as the profile sets it."""
    limits = yaml.safe_load(profile.read_bytes()).get("resources", []) if profile.exists() else []
    named = dict(str(limit).split("=", 1) for limit in limits)
    return float(named.get("mem_mb", "inf"))


def _all_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cores(count: int) -> str:
    return f"{count} core" if count == 1 else f"{count} cores"
