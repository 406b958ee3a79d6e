"""Where a run computes, and how it keeps its numbers independent of the machine's cores."""

import torch

from rungs.errors import UserError


def select_device(name: str) -> torch.device:
    """Return the device called ``auto``, ``cpu`` or ``cuda``; ``auto`` is CUDA where there is one.

    One CPU thread, because the order of a parallel sum depends on the number of threads; and
    float32 products computed in float32.

    Raises:
        UserError: CUDA is asked for and this machine has none.
    """
    torch.set_num_threads(1)
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
    return f"CPU ({torch.backends.cpu.get_cpu_capability()}, one thread)"
