"""Calibrate this machine, in processes of their own, so that a plan never imports torch itself."""

import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from rungs.errors import UserError
from rungs.planning.machine import Calibration, StartUp

# Stages that import what `StartUp` names; asked for help, they import it and stop.
_STAGES = {"plain": "download", "tables": "table", "figures": "figure-rows", "torch": "train"}


def measure(processes: int) -> Calibration:
    """Return this machine's rates, and how much slower it is with so many processes at once.

    Raises:
        UserError: a measuring process failed.
    """
    alone = _finish(_start())
    steps = alone.pop("steps")
    return Calibration(
        **alone,
        start_up=_start_up(),
        processes=processes,
        crowding=_crowding(steps, processes) if processes > 1 else 1.0,
    )


def _crowding(alone: list[float], processes: int) -> float:
    """Return the factor by which a step takes longer among others, the median over all steps."""
    together = [_start("--steps-only") for _ in range(processes)]
    ratios = [
        crowded / quiet
        for process in together
        for crowded, quiet in zip(_finish(process), alone, strict=True)
    ]
    return max(1.0, statistics.median(ratios))


def _start_up() -> StartUp:
    seconds = {}
    for kind, stage in _STAGES.items():
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
