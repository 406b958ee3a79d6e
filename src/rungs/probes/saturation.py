"""Stage ``probe-saturation``: how sharp the softmax of random scores is, divided and undivided."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.model.observe import SATURATED
from rungs.probes.measurement import Measurement, Observed, over_seeds, write_measurements
from rungs.probes.variants import Seeds

TOKENS = 64
"""Scores in a row."""
SINGLE_ROWS = 1_000
"""Rows that are kept one by one."""


def run(
    *,
    widths: Sequence[int],
    rows: Annotated[int, "of scores, for each width"],
    seeds: Seeds,
    output: Path,
) -> str:
    """Measure once per seed and write the means over the rows, by width."""
    select_device("cpu")
    found = over_seeds([measure(widths, rows, seed) for seed in range(seeds)])
    found += single_rows(widths, rows)
    write_measurements(output, found)
    return f"{output}: {len(widths)} widths over {seeds} seeds"


def measure(widths: Sequence[int], rows: int, seed: int) -> list[Observed]:
    """Return the metrics of the softmax at each width, with and without the division."""
    generator = torch.Generator().manual_seed(seed)
    found: list[Observed] = []
    for width in widths:
        scores = random_scores(width, rows, generator)
        for divided, scale in (("yes", math.sqrt(width)), ("no", 1.0)):
            row: dict[str, int | str] = {"width": width, "divided": divided}
            metrics = sharpness((scores / scale).softmax(-1))
            found += [(row, metric, number) for metric, number in metrics.items()]
    return found


def single_rows(widths: Sequence[int], rows: int) -> list[Measurement]:
    """Return the effective tokens of single rows, each a draw: what one row can show."""
    generator = torch.Generator().manual_seed(0)
    found = []
    for width in widths:
        scores = random_scores(width, min(rows, SINGLE_ROWS), generator)
        for divided, scale in (("yes", math.sqrt(width)), ("no", 1.0)):
            entropy = torch.special.entr((scores / scale).softmax(-1)).sum(-1)
            row: dict[str, int | str] = {"width": width, "divided": divided}
            drawn = entropy.exp().tolist()
            found.append(Measurement(row=row, metric="effective_tokens_of_a_row", by_seed=drawn))
    return found


def random_scores(width: int, rows: int, generator: torch.Generator) -> Tensor:
    """Return rows of undivided scores, (rows, TOKENS), in float64.

    As in attention, the queries of a sequence share its keys; all entries of q and k are
    independent with mean zero and variance one.
    """
    sequences = math.ceil(rows / TOKENS)
    shape = (sequences, TOKENS, width)
    q, k = (torch.randn(shape, generator=generator, dtype=torch.float64) for _ in "qk")
    return (q @ k.mT).flatten(0, 1)[:rows]


def sharpness(weights: Tensor) -> dict[str, float]:
    """Return the means over rows of attention weights, (rows, tokens).

    Returns:
        entropy: in nats.
        effective_tokens: the exponential of a row's entropy.
        jacobian: the sum of w (1 - w), the diagonal of the softmax's derivative.
        frozen: the share of rows with more than 0.99 on one token, as trained rows are counted.
    """
    entropy = torch.special.entr(weights).sum(-1)
    return {
        "entropy": entropy.mean().item(),
        "effective_tokens": entropy.exp().mean().item(),
        "jacobian": (weights * (1 - weights)).sum(-1).mean().item(),
        "frozen": (weights.amax(-1) > SATURATED).double().mean().item(),
    }
