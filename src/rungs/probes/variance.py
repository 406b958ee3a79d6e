"""Stage ``probe-variance``: the variance of a dot product grows with the width.

The entries of q and k are independent with mean zero and variance one, so that their product
has the variance d (Vaswani et al. 2017, footnote 4).
"""

import argparse
import math
from pathlib import Path

import torch

from rungs.device import select_device
from rungs.probes.measurement import Measurement, Observed, over_seeds, write_measurements


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--widths", type=int, nargs="+", required=True)
    parser.add_argument("--pairs", type=int, required=True, help="of q and k, for each width")
    parser.add_argument("--seeds", type=int, required=True, help="how many: 0, 1, ...")
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
    """Measure once per seed and write variance and standard deviation of each width."""
    select_device("cpu")
    widths, seeds = arguments.widths, arguments.seeds
    found = over_seeds([measure(widths, arguments.pairs, seed) for seed in range(seeds)])
    found += [
        Measurement(row={"width": d}, metric="expected_standard_deviation", exact=math.sqrt(d))
        for d in widths
    ]
    write_measurements(arguments.output, found)
    return f"{arguments.output}: {len(widths)} widths over {seeds} seeds"


def measure(widths: list[int], pairs: int, seed: int) -> list[Observed]:
    """Return the sample variance and standard deviation of q.k over ``pairs`` pairs, by width."""
    generator = torch.Generator().manual_seed(seed)
    found: list[Observed] = []
    for width in widths:
        q, k = (torch.randn(pairs, width, generator=generator) for _ in "qk")
        variance = (q * k).sum(1, dtype=torch.float64).var().item()
        found.append(({"width": width}, "variance", variance))
        found.append(({"width": width}, "standard_deviation", math.sqrt(variance)))
    return found
