"""Stage ``probe-variance``: the variance of a dot product grows with the width.

The entries of q and k are independent with mean zero and variance one, so that their product
has the variance d (Vaswani et al. 2017, footnote 4).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch

from rungs.device import select_device
from rungs.probes.measurement import Measurement, Observed, over_seeds, write_measurements
from rungs.probes.variants import Seeds


def run(
    *,
    widths: Sequence[int],
    pairs: Annotated[int, "of q and k, for each width"],
    seeds: Seeds,
    output: Path,
) -> str:
    """Measure once per seed and write variance and standard deviation of each width."""
    select_device("cpu")
    found = over_seeds([measure(widths, pairs, seed) for seed in range(seeds)])
    found += [
        Measurement(row={"width": d}, metric="expected_standard_deviation", exact=math.sqrt(d))
        for d in widths
    ]
    write_measurements(output, found)
    return f"{output}: {len(widths)} widths over {seeds} seeds"


def measure(widths: Sequence[int], pairs: int, seed: int) -> list[Observed]:
    """Return the sample variance and standard deviation of q.k over ``pairs`` pairs, by width."""
    generator = torch.Generator().manual_seed(seed)
    found: list[Observed] = []
    for width in widths:
        q, k = (torch.randn(pairs, width, generator=generator) for _ in "qk")
        variance = (q * k).sum(1, dtype=torch.float64).var().item()
        found.append(({"width": width}, "variance", variance))
        found.append(({"width": width}, "standard_deviation", math.sqrt(variance)))
    return found
