"""Stage ``probe-cached-generation``: the logits of a text read token by token, from a cache.

Of untrained models, beside those of the whole text at once.
"""

from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.generation.continuing import logits_after
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.probes.agreement import agreement
from rungs.probes.measurement import Observed, over_seeds, write_measurements
from rungs.probes.variants import Seeds, Variants

VOCABULARY = 64


def run(
    *,
    variants: Variants,
    context_length: Annotated[int, "tokens that are read"],
    seeds: Seeds,
    output: Path,
) -> str:
    """Compare once per seed and write the largest differences."""
    select_device("cpu")
    repetitions = [
        [
            observed
            for entry in variants
            for observed in measure(entry.variant, entry.architecture, context_length, seed)
        ]
        for seed in range(seeds)
    ]
    write_measurements(output, over_seeds(repetitions))
    return f"{output}: {len(variants)} variants over {seeds} seeds"


def measure(name: str, architecture: Architecture, length: int, seed: int) -> list[Observed]:
    """Return the largest difference of a logit at any position, and what rounding explains."""
    torch.manual_seed(seed)
    model = LanguageModel(architecture, VOCABULARY).eval()
    tokens = torch.randint(VOCABULARY, (1, length))
    return agreement(
        {"variant": name},
        lambda dtype: at_once(model.to(dtype), tokens),
        lambda dtype: one_by_one(model.to(dtype), tokens),
    )


@torch.no_grad()
def at_once(model: LanguageModel, tokens: Tensor) -> Tensor:
    """Return the logits of a text (1, tokens) as in training, (tokens, vocabulary)."""
    return model(tokens)[0]


def one_by_one(model: LanguageModel, tokens: Tensor) -> Tensor:
    """Return the logits of a text (1, tokens) as in generation, (tokens, vocabulary)."""
    past = model.empty_past()
    return torch.cat([logits_after(model, token, past) for token in tokens.split(1, dim=1)])
