"""Whether two computations are one function, as far as floating point can tell."""

from collections.abc import Callable

import torch
from torch import Tensor

from rungs.probes.measurement import Observed

Computation = Callable[[torch.dtype], Tensor]
"""Computes everything in the given precision, from inputs that every precision represents."""


def agreement(row: dict[str, int | str], first: Computation, second: Computation) -> list[Observed]:
    """Compare two computations in float32 and in float64, by their largest difference.

    What rounding can explain in float32 is what it does to each of the two: its distance from
    the same computation in float64. Two computations of one function differ by no more than the
    sum of these distances (the triangle inequality); those of two functions differ by more.
    """
    single, double = ((first(dtype), second(dtype)) for dtype in (torch.float32, torch.float64))
    rounding = sum(_largest(a, b) for a, b in zip(single, double, strict=True))
    return [
        (row | {"precision": "float32"}, "difference", _largest(*single)),
        (row | {"precision": "float32"}, "rounding", rounding),
        (row | {"precision": "float64"}, "difference", _largest(*double)),
    ]


def _largest(a: Tensor, b: Tensor) -> float:
    """Return the largest absolute difference, computed in float64."""
    return (a.double() - b.double()).abs().max().item()
