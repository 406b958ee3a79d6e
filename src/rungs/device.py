"""Where a run computes, and how it keeps its numbers independent of the machine's cores."""

from typing import Annotated, Literal

import torch

from rungs.errors import UserError

Device = Annotated[Literal["auto", "cpu", "cuda"], "auto is cuda where there is one"]


def select_device(name: str, threads: int = 1) -> torch.device:
    """Return the device called ``auto``, ``cpu`` or ``cuda``; ``auto`` is CUDA where there is one.

    A stated number of CPU threads, because the order of a parallel sum depends on it; and float32
    products computed in float32.

    Raises:
        UserError: CUDA is asked for and this machine has none.
    """
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision("highest")
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("device: cuda, but torch finds no CUDA device here; use device: auto")
    return torch.device(name)


def describe(device: torch.device) -> str:
    """Return the device in words, with what decides its arithmetic."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    words = "one thread" if threads == 1 else f"{threads} threads"
    return f"CPU ({torch.backends.cpu.get_cpu_capability()}, {words})"
