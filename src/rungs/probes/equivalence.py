"""Stage ``probe-equivalence``: our attention beside torch's two implementations.

The formula is written out here a second time, as the chapter does, since the layer of the models
calls ``F.scaled_dot_product_attention`` itself. All compute with the weights of a freshly
initialised ``nn.MultiheadAttention``.
"""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.probes.agreement import Computation, agreement
from rungs.probes.measurement import Observed
from rungs.probes.repeated import repeated
from rungs.probes.variants import Seeds

SEQUENCES, TOKENS, WIDTH, HEADS = 4, 16, 128, 4

PAIRS = (
    ("formula", "nn.MultiheadAttention"),
    ("formula", "F.scaled_dot_product_attention"),
    ("models' layer", "nn.MultiheadAttention"),
    ("models' layer", "formula"),
)


def run(*, seeds: Seeds, output: Path) -> str:
    """Measure once per seed and write the differences and the mean magnitude."""
    return repeated(measure, seeds, output)


@torch.no_grad()
def measure(seed: int) -> list[Observed]:
    """Return every comparison for one set of weights and inputs, (SEQUENCES, TOKENS, WIDTH)."""
    torch.manual_seed(seed)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    ours = Attention(Architecture(width=WIDTH, heads=HEADS, mixer="attention"))
    ours.qkv.weight.copy_(theirs.in_proj_weight)  # theirs starts with biases of zero, ours has none
    ours.output.load_state_dict(theirs.out_proj.state_dict())
    x = torch.randn(SEQUENCES, TOKENS, WIDTH)
    computations: dict[str, Computation] = {
        "formula": lambda dtype: formula(ours.to(dtype), x.to(dtype)),
        "models' layer": lambda dtype: ours.to(dtype)(x.to(dtype)),
        "nn.MultiheadAttention": lambda dtype: multihead_attention(theirs.to(dtype), x.to(dtype)),
        "F.scaled_dot_product_attention": lambda dtype: fused(ours.to(dtype), x.to(dtype)),
    }
    found: list[Observed] = []
    for first, second in PAIRS:
        row: dict[str, int | str] = {"first": first, "second": second}
        found += agreement(row, computations[first], computations[second])
        magnitude = computations[first](torch.float32).abs().mean().item()
        found.append((row | {"precision": "float32"}, "magnitude", magnitude))
    return found


def formula(layer: Attention, x: Tensor) -> Tensor:
    """Return softmax(Q K^T / sqrt(d_k) + M) V, head by head (Vaswani et al. 2017, equation 1)."""
    tokens, d_k = x.shape[1], layer.head_width
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    w_q, w_k, w_v = layer.qkv.weight.chunk(3)
    mixed = []
    for head in range(layer.heads):
        rows = slice(head * d_k, (head + 1) * d_k)
        q, k, v = x @ w_q[rows].T, x @ w_k[rows].T, x @ w_v[rows].T
        scores = (q @ k.mT / math.sqrt(d_k)).masked_fill(future, -torch.inf)
        mixed.append(scores.softmax(-1) @ v)
    return layer.output(torch.cat(mixed, dim=-1))


def multihead_attention(layer: nn.MultiheadAttention, x: Tensor) -> Tensor:
    """Return what torch's module makes of (sequences, tokens, width), causally masked."""
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
    return layer(x, x, x, attn_mask=mask, need_weights=False)[0]


def fused(layer: Attention, x: Tensor) -> Tensor:
    """Return our projections around torch's function."""
    q, k, v = layer.queries_keys_values(x)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return layer.output(mixed.transpose(1, 2).flatten(2))
