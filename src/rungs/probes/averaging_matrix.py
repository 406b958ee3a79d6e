"""Stage ``probe-averaging-matrix``: the matrix whose product is the running mean."""

import argparse
from pathlib import Path

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.probes.measurement import Measurement, write_measurements

TOKENS = 6


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
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
    write_measurements(arguments.output, found)
    return f"{arguments.output}: {TOKENS} x {TOKENS} weights"


def averaging_matrix(tokens: int, dtype: torch.dtype) -> Tensor:
    """Return the lower-triangular matrix with equal entries in a row, which sum to one."""
    lower = torch.ones(tokens, tokens, dtype=dtype).tril()
    return lower / lower.sum(1, keepdim=True)
