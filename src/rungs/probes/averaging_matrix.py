"""Stage ``probe-averaging-matrix``: the matrix whose product is the running mean."""

from pathlib import Path

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.probes.measurement import Measurement, write_measurements

TOKENS = 6


def run(*, output: Path) -> str:
    """Write the matrix, entry by entry."""
    select_device("cpu")
    matrix = averaging_matrix(TOKENS, torch.float64)
    found = [
        Measurement(
            row={
                "position": position + 1,
                "token": token + 1,
                "future": "yes" if token > position else "no",
            },
            metric="weight",
            exact=matrix[position, token].item(),
        )
        for position in range(TOKENS)
        for token in range(TOKENS)
    ]
    write_measurements(output, found)
    return f"{output}: {TOKENS} x {TOKENS} weights"


def averaging_matrix(tokens: int, dtype: torch.dtype) -> Tensor:
    """Return the lower-triangular matrix with equal entries in a row, which sum to one."""
    lower = torch.ones(tokens, tokens, dtype=dtype).tril()
    return lower / lower.sum(1, keepdim=True)
