"""Stage ``probe-gradient-norms``: how large each block's gradient is before any step.

Of a model at its initialisation and one batch of the training split (Xiong et al. 2020, section
3.3, compare pre- and post-norm so). Two norms: of all parameters of a block, which is how the
chapter's "per block" is read, and of the output projection W_o of its attention alone.
"""

import argparse
import json
from pathlib import Path

import torch
from torch import Tensor, nn

from rungs.corpus.tokens import load_tokens
from rungs.device import select_device
from rungs.errors import UserError
from rungs.files import read_json
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import evenly_spaced
from rungs.probes.measurement import Observed, over_seeds, write_measurements
from rungs.reading import reading


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--train", type=Path, required=True, help="training tokens, .npy")
    parser.add_argument("--corpus", type=Path, required=True, help="the corpus's summary.json")
    parser.add_argument(
        "--variants", required=True, help='JSON list of {"variant", "architecture"}, in order'
    )
    parser.add_argument("--batch-size", type=int, required=True, help="windows")
    parser.add_argument("--context-length", type=int, required=True, help="tokens per window")
    parser.add_argument("--seeds", type=int, required=True, help="how many: 0, 1, ...")
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
    """Measure every variant once per initialisation and write the norms of each block.

    The batch is the same for all: windows that are spread evenly over the training split.

    Raises:
        UserError: the corpus does not fill one window.
    """
    select_device("cpu")
    architectures = {
        entry["variant"]: Architecture.model_validate(entry["architecture"])
        for entry in json.loads(arguments.variants)
    }
    with reading(arguments.corpus):
        vocabulary = int(read_json(arguments.corpus)["vocabulary"])
    tokens = load_tokens(arguments.train)
    if len(tokens) <= arguments.context_length:
        raise UserError(
            f"{arguments.train}: {len(tokens):,} tokens do not fill one window of "
            f"{arguments.context_length} and its next token; use a longer corpus or a shorter "
            "probes.gradient_norms.context_length"
        )
    batches = list(evenly_spaced(tokens, arguments.context_length, arguments.batch_size))
    repetitions = []
    for seed in range(arguments.seeds):
        found: list[Observed] = []
        for variant, architecture in architectures.items():
            torch.manual_seed(seed)
            model = LanguageModel(architecture, vocabulary)
            found += [({"variant": variant, **row}, m, n) for row, m, n in measure(model, batches)]
        repetitions.append(found)
    write_measurements(arguments.output, over_seeds(repetitions))
    return f"{arguments.output}: {len(architectures)} variants over {arguments.seeds} seeds"


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
        found.append((row, "whole_block", _gradient_norm(list(block.parameters()))))
    return found


def _gradient_norm(parameters: list[nn.Parameter]) -> float:
    gradients = [p.grad.double().norm() for p in parameters if p.grad is not None]
    return torch.stack(gradients).norm().item()
