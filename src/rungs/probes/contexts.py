"""Stage ``probe-contexts``: how many tokens the predictions of one step can see.

Found by trying: one token of a window is exchanged after the other, and a position sees those
whose exchange changes its output.
"""

from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor

from rungs.device import select_device
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.probes.measurement import Measurement, write_measurements
from rungs.probes.variants import Variants

_WINDOWS = 16
"""Exchanges that are tried at a time."""


def run(
    *,
    variants: Variants,
    batch_size: Annotated[int, "windows in a step"],
    context_length: Annotated[int, "tokens in a window"],
    output: Path,
) -> str:
    """Write, for every variant, the predictions of a step and the mean context they see."""
    select_device("cpu")
    length = context_length
    found = []
    for entry in variants:
        seen = visible(entry.architecture, length).sum(1).double()
        row: dict[str, int | str] = {"variant": entry.variant}
        predictions = batch_size * length
        found += [
            Measurement(row=row, metric="predictions", exact=predictions),
            Measurement(row=row, metric="mean_context", exact=seen.mean().item()),
            Measurement(row=row, metric="largest_context", exact=seen.max().item()),
        ]
    write_measurements(output, found)
    return f"{output}: {len(found) // 3} variants"


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
