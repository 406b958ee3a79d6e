"""Stage ``probe-gradient-norms``: how large each block's gradient is before any step.

Of a model at its initialisation and one batch of the training split (Xiong et al. 2020, section
3.3, compare pre- and post-norm so). Three norms: of all parameters of a block, which is how the
chapter's "per block" is read, and of two weights of its attention alone, W_o and that of queries,
keys and values.
"""

from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor, nn

from rungs.corpus.tokens import load_tokens
from rungs.device import select_device
from rungs.errors import UserError
from rungs.files import read_json
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import evenly_spaced
from rungs.probes.measurement import Observed, over_seeds, write_measurements
from rungs.probes.variants import Seeds, Variants
from rungs.reading import reading


def run(
    *,
    train: Annotated[Path, "training tokens, .npy"],
    corpus: Annotated[Path, "the corpus's summary.json"],
    variants: Variants,
    batch_size: Annotated[int, "windows"],
    context_length: Annotated[int, "tokens per window"],
    seeds: Seeds,
    output: Path,
) -> str:
    """Measure every variant once per initialisation and write the norms of each block.

    The batch is the same for all: windows that are spread evenly over the training split.

    Raises:
        UserError: the corpus does not fill one window.
    """
    select_device("cpu")
    with reading(corpus):
        vocabulary = int(read_json(corpus)["vocabulary"])
    tokens = load_tokens(train)
    if len(tokens) <= context_length:
        raise UserError(
            f"{train}: {len(tokens):,} tokens do not fill one window of "
            f"{context_length} and its next token; use a longer corpus or a shorter "
            "probes.gradient_norms.context_length"
        )
    batches = list(evenly_spaced(tokens, context_length, batch_size))
    repetitions = []
    for seed in range(seeds):
        found: list[Observed] = []
        for entry in variants:
            torch.manual_seed(seed)
            model = LanguageModel(entry.architecture, vocabulary)
            measured = measure(model, batches)
            found += [({"variant": entry.variant, **row}, m, n) for row, m, n in measured]
        repetitions.append(found)
    write_measurements(output, over_seeds(repetitions))
    return f"{output}: {len(variants)} variants over {seeds} seeds"


def measure(model: LanguageModel, batches: list[tuple[Tensor, Tensor]]) -> list[Observed]:
    """Return the Euclidean gradient norms of each block, counted from 1.

    Args:
        model: with gradients of zero, and blocks whose attention has an output projection.
        batches: inputs and targets, each (windows, tokens); their mean loss is differentiated.
    """
    total = sum(targets.numel() for _, targets in batches)
    for inputs, targets in batches:
        (model.loss(inputs, targets) * (targets.numel() / total)).backward()
    found: list[Observed] = []
    for number, block in enumerate(model.blocks, 1):
        row: dict[str, int | str] = {"block": number}
        projection = block.get_parameter("mixer.function.output.weight")
        found.append((row, "output_projection", _gradient_norm([projection])))
        qkv = block.get_parameter("mixer.function.qkv.weight")
        found.append((row, "queries_keys_values", _gradient_norm([qkv])))
        found.append((row, "whole_block", _gradient_norm(list(block.parameters()))))
    return found


def _gradient_norm(parameters: list[nn.Parameter]) -> float:
    gradients = [p.grad.double().norm() for p in parameters if p.grad is not None]
    return torch.stack(gradients).norm().item()
