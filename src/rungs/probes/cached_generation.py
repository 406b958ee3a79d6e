"""Stage ``probe-cached-generation``: the logits of a text read token by token, from a cache.

Of untrained models, beside those of the whole text at once.
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.generation.continuing import logits_after
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.probes.agreement import agreement
from rungs.probes.measurement import Observed, over_seeds, write_measurements
from rungs.probes.variants import add_variants, read_variants

VOCABULARY = 64


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    add_variants(parser)
    parser.add_argument("--context-length", type=int, required=True, help="tokens that are read")
    parser.add_argument("--seeds", type=int, required=True, help="how many: 0, 1, ...")
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
    """Compare once per seed and write the largest differences."""
    select_device("cpu")
    variants = read_variants(arguments)
    repetitions = [
        [
            observed
            for name, architecture in variants.items()
            for observed in measure(name, architecture, arguments.context_length, seed)
        ]
        for seed in range(arguments.seeds)
    ]
    write_measurements(arguments.output, over_seeds(repetitions))
    return f"{arguments.output}: {len(variants)} variants over {arguments.seeds} seeds"


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
