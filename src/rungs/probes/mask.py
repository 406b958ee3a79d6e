"""Stage ``probe-mask``: which tokens each position of causal attention sees."""

from pathlib import Path

import torch

from rungs.device import select_device
from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.probes.measurement import Measurement, write_measurements

TOKENS, WIDTH = 8, 16


def run(*, output: Path) -> str:
    """Write the table, entry by entry: 1 where a position sees a token, else 0."""
    select_device("cpu")
    seen = visible(TOKENS)
    found = [
        Measurement(
            row={
                "position": position + 1,
                "token": token + 1,
                "future": "yes" if token > position else "no",
            },
            metric="visible",
            exact=seen[position][token],
        )
        for position in range(TOKENS)
        for token in range(TOKENS)
    ]
    write_measurements(output, found)
    return f"{output}: {TOKENS} x {TOKENS} entries"


@torch.no_grad()
def visible(tokens: int) -> list[list[int]]:
    """Return the mask that the models' own layer puts on its scores, (tokens, tokens)."""
    layer = Attention(Architecture(width=WIDTH, mixer="attention"))
    seen: list[list[int]] = (
        layer.scores(torch.randn(1, tokens, WIDTH))[0, 0].isfinite().int().tolist()
    )
    return seen
