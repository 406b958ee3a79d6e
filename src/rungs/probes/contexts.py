"""Stage ``probe-contexts``: how many tokens the predictions of one step can see.

Found by trying: one token of a window is exchanged after the other, and a position sees those
whose exchange changes its output.
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.probes.measurement import Measurement, write_measurements
from rungs.probes.variants import add_variants, read_variants

_WINDOWS = 16
"""Exchanges that are tried at a time."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    add_variants(parser)
    parser.add_argument("--batch-size", type=int, required=True, help="windows in a step")
    parser.add_argument("--context-length", type=int, required=True, help="tokens in a window")
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
    """Write, for every variant, the predictions of a step and the mean context they see."""
    select_device("cpu")
    length = arguments.context_length
    found = []
    for name, architecture in read_variants(arguments).items():
        seen = visible(architecture, length).sum(1).double()
        row: dict[str, int | str] = {"variant": name}
        predictions = arguments.batch_size * length
        found += [
            Measurement(row=row, metric="predictions", exact=predictions),
            Measurement(row=row, metric="mean_context", exact=seen.mean().item()),
            Measurement(row=row, metric="largest_context", exact=seen.max().item()),
        ]
    write_measurements(arguments.output, found)
    return f"{arguments.output}: {len(found) // 3} variants"


@torch.no_grad()
def visible(architecture: Architecture, length: int) -> Tensor:
    """Return whether each position sees each token, (positions, tokens), of random weights."""
    torch.manual_seed(0)
    model = LanguageModel(architecture, 2).eval()
    window = torch.zeros(1, length, dtype=torch.long)
    before = model.hidden(window)
    columns = []
    for exchanged in torch.eye(length, dtype=torch.long).split(_WINDOWS):
        after = model.hidden(exchanged)
        columns.append((after != before.expand_as(after)).any(-1))
    return torch.cat(columns).T
