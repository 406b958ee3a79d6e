"""The processes of a running workflow."""

import re
import signal
from collections.abc import Iterable
from pathlib import Path

import psutil


def descendants(pid: int) -> list[psutil.Process]:
    """Return the process's children, their children and so on; none if it is gone."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def is_snakemake(process: psutil.Process) -> bool:
    """Say whether it is Snakemake itself, and not a shell that was told to start it."""
    words = _words(process)
    return len(words) > 1 and words[1].endswith("/snakemake")


def is_training(process: psutil.Process) -> bool:
    """Say whether it trains a run."""
    return _words(process)[1:4] == ["-m", "rungs", "train"]


def stoppable(process: psutil.Process) -> bool:
    """Say whether the process has begun to catch SIGTERM, as a run does when it starts to train."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = int(re.findall(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def gone(processes: Iterable[psutil.Process], seconds: float = 300) -> None:
    """Wait until all of them have ended."""
    _, alive = psutil.wait_procs(list(processes), timeout=seconds)
    assert not alive, alive


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
