"""Stage ``probe-averaging``: an average sees no order, and neither does attention unmasked.

The running mean of a sequence, a product with a triangular matrix and a softmax of masked zeros
are the same three times. Shuffling the window changes none of their last rows; permuting the
tokens permutes what self-attention returns, until a causal mask tells them apart.
"""

from pathlib import Path

import torch
from torch import Tensor

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.probes.agreement import agreement
from rungs.probes.averaging_matrix import averaging_matrix
from rungs.probes.measurement import Observed
from rungs.probes.repeated import repeated
from rungs.probes.variants import Seeds

TOKENS = 6
"""As many as the printed matrix has rows."""
WIDTH = 128
HEADS = 4


def run(*, seeds: Seeds, output: Path) -> str:
    """Measure once per seed and write the differences."""
    return repeated(measure, seeds, output)


@torch.no_grad()
def measure(seed: int) -> list[Observed]:
    """Return every comparison for one sequence of random tokens, (TOKENS, WIDTH)."""
    torch.manual_seed(seed)
    x = torch.randn(TOKENS, WIDTH)
    order = torch.randperm(TOKENS)
    prefix_order = torch.cat([torch.randperm(TOKENS - 1), torch.tensor([TOKENS - 1])])
    shape = Architecture(width=WIDTH, heads=HEADS, mixer="attention")
    masked = Attention(shape)
    unmasked = Attention(shape.model_copy(update={"causal": False}))

    def last_average(tokens: Tensor, dtype: torch.dtype) -> Tensor:
        return averaging_matrix(TOKENS, dtype)[-1] @ tokens.to(dtype)

    def attend(layer: Attention, tokens: Tensor, dtype: torch.dtype) -> Tensor:
        return layer.to(dtype)(tokens.to(dtype)[None])[0]

    return [
        *agreement(
            {"measure": "matrix_product"},
            lambda dtype: running_mean(x.to(dtype)),
            lambda dtype: averaging_matrix(TOKENS, dtype) @ x.to(dtype),
        ),
        *agreement(
            {"measure": "masked_softmax"},
            lambda dtype: running_mean(x.to(dtype)),
            lambda dtype: masked_softmax(TOKENS, dtype) @ x.to(dtype),
        ),
        *agreement(
            {"measure": "shuffled_window"},
            lambda dtype: last_average(x, dtype),
            lambda dtype: last_average(x[order], dtype),
        ),
        *agreement(
            {"measure": "permuted_without_mask"},
            lambda dtype: attend(unmasked, x[order], dtype),
            lambda dtype: attend(unmasked, x, dtype)[order],
        ),
        *agreement(
            {"measure": "permuted_with_mask"},
            lambda dtype: attend(masked, x[order], dtype),
            lambda dtype: attend(masked, x, dtype)[order],
        ),
        *agreement(
            {"measure": "permuted_prefix"},
            lambda dtype: attend(masked, x[prefix_order], dtype)[-1],
            lambda dtype: attend(masked, x, dtype)[-1],
        ),
    ]


def running_mean(x: Tensor) -> Tensor:
    """Return the mean of each prefix of (tokens, width), one prefix at a time."""
    return torch.stack([x[: t + 1].mean(0) for t in range(len(x))])


def masked_softmax(tokens: int, dtype: torch.dtype) -> Tensor:
    """Return the softmax of equal scores of which those of the future are minus infinity."""
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    return torch.zeros(tokens, tokens, dtype=dtype).masked_fill(future, -torch.inf).softmax(-1)
