"""Stage ``probe-untrained-attention``: what the first head looks at before any training.

On the chapter's sentence, of whose 11 tokens one occurs twice. Embeddings are random, so that
which tokens they are makes no difference: the probe needs no tokenizer.
"""

from pathlib import Path

import torch

from rungs.device import select_device
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.observe import attention_maps
from rungs.probes.measurement import Observed, over_seeds, write_measurements
from rungs.probes.settings import SENTENCE
from rungs.probes.variants import Seeds, Variants

PRINTED = 6
"""Positions whose weights the chapter prints."""


def run(*, variants: Variants, seeds: Seeds, output: Path) -> str:
    """Measure every variant with attention once per initialisation."""
    select_device("cpu")
    attending = [entry for entry in variants if entry.architecture.mixer == "attention"]
    repetitions = [
        [
            ({"variant": entry.variant, **row}, metric, value)
            for entry in attending
            for row, metric, value in measure(entry.architecture, seed)
        ]
        for seed in range(seeds)
    ]
    write_measurements(output, over_seeds(repetitions))
    return f"{output}: {len(attending)} variants over {seeds} seeds"


def measure(architecture: Architecture, seed: int) -> list[Observed]:
    """Return the rows of the first head, and what holds of all rows of all heads."""
    torch.manual_seed(seed)
    model = LanguageModel(architecture, max(SENTENCE) + 1)
    maps = torch.stack(attention_maps(model, torch.tensor([SENTENCE])))
    sums = maps.sum(-1, dtype=torch.float64)
    future = torch.ones(maps.shape[-2:], dtype=torch.bool).triu(1)
    head = maps[0, 0, 0].double()
    found: list[Observed] = [
        ({"rows": "all"}, "furthest_sum", _furthest(sums, 1.0)),
        ({"rows": "all"}, "above_diagonal", maps[..., future].max().item()),
        ({"rows": "all"}, "weights", maps.numel()),
    ]
    for position in range(PRINTED):
        seen = head[position, : position + 1]
        row: dict[str, int | str] = {"rows": "first head", "position": position + 1}
        entropy = torch.special.entr(seen).sum().item()
        found += [
            (row, "smallest", seen.min().item()),
            (row, "largest", seen.max().item()),
            (row, "effective_tokens", torch.tensor(entropy).exp().item()),
        ]
    found += [
        ({"rows": "first head", "position": p + 1, "token": t + 1}, "weight", head[p, t].item())
        for p in range(PRINTED)
        for t in range(PRINTED)
    ]
    return found


def _furthest(values: torch.Tensor, point: float) -> float:
    """Return the value that is furthest from the point."""
    flat = values.flatten()
    return flat[(flat - point).abs().argmax()].item()
