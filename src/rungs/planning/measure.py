"""Calibrate this machine, in processes of their own, so that a plan never imports torch itself."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from rungs.errors import UserError
from rungs.files import write_json
from rungs.planning.machine import Calibration, StartUp, load

# Stages that import what `StartUp` names; asked for help, they import it and stop.
IMPORTING = {"plain": "download", "tables": "table", "figures": "figure-rows", "torch": "train"}


CalibrationFile = Annotated[
    Path | None, "read the calibration stored there; where there is none, calibrate and store it"
]


def all_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def calibrated(path: Path | None, cores: int) -> Calibration:
    """Return the calibration stored at ``path``, or measure this machine and store it there.

    Raises:
        UserError: it cannot be read or written, or a measuring process failed.
    """
    if path is not None and path.exists():
        return load(path)
    with Console(stderr=True).status("Measuring this machine, ten to twenty seconds"):
        calibration = measure(min(cores, all_cores()))
    if path is not None:
        write_json(path, calibration.model_dump(mode="json"))
    return calibration


def measure(processes: int) -> Calibration:
    """Return this machine's rates, and how much slower it is with so many processes at once.

    Args:
        processes: no more than there are cores, so that what they wait for is somebody else's work.

    Raises:
        UserError: a measuring process failed.
    """
    alone = _finish(_start())
    steps, lost = alone.pop("steps"), alone.pop("lost")
    crowding = 1.0
    if processes > 1:
        others = [_start("--steps-only") for _ in range(processes)]
        together = [_finish(process) for process in others]
        crowding = max(1.0, _crowding(steps, [other["steps"] for other in together]))
        lost = statistics.mean(other["lost"] for other in together)
    return Calibration(
        **alone, start_up=_start_up(), processes=processes, crowding=crowding, lost=max(0.0, lost)
    )


def _crowding(alone: list[float], together: list[list[float]]) -> float:
    """Return the factor by which a step takes longer among others, the median over all steps."""
    ratios = [
        crowded / quiet for steps in together for crowded, quiet in zip(steps, alone, strict=True)
    ]
    return statistics.median(ratios)


def _start_up() -> StartUp:
    seconds = {}
    for kind, stage in IMPORTING.items():
        started = time.perf_counter()
        command = [sys.executable, "-m", "rungs", stage, "--help"]
        subprocess.run(command, stdout=subprocess.DEVNULL, env=_environment(), check=False)  # noqa: S603
        seconds[kind] = time.perf_counter() - started
    return StartUp(**seconds)


def _start(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "rungs.planning.calibrate", *words]
    return subprocess.Popen(  # noqa: S603
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
    )


def _finish(process: "subprocess.Popen[str]") -> Any:
    printed, complaints = process.communicate()
    if process.returncode:
        raise UserError(f"the calibration failed:\n{complaints.strip()[-2_000:]}")
    return json.loads(printed)


def _environment() -> dict[str, str]:
    """One thread, as every job of the workflow has."""
    return {**os.environ, "OMP_NUM_THREADS": "1"}
