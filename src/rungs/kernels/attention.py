"""One attention layer around interchangeable kernels, as the attention chapter measures it.

Source: the attention chapter, section "cost of one attention layer"; Vaswani et al. (2017),
section 3.2 (scaled dot product, heads); Dao et al. (2022), section 3 (the tiled kernel).
"""

import math
from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class NaiveAttention(nn.Module):
    """Causal attention that stores its score matrix, one step of the formula a line.

    Args:
        tokens: the sequence length n; the boolean mask is an n x n buffer, True where a position
            may look. The forward pass inverts it, as the chapter's listing does: a second n x n of
            booleans, which decides the peak of the longest sequences.
    """

    mask: Tensor

    def __init__(self, tokens: int) -> None:
        super().__init__()
        visible = torch.ones(tokens, tokens, dtype=torch.bool).tril()
        self.register_buffer("mask", visible, persistent=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Map three ``(batch, heads, tokens, d_head)`` to ``(batch, tokens, width)``."""
        # One name for every state of the scores, so that only two n x n matrices are ever alive.
        scores = query @ key.transpose(-2, -1)
        scores = scores / math.sqrt(query.shape[-1])
        scores = scores.masked_fill(~self.mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return _merge_heads(weights @ value)


class FusedAttention(nn.Module):
    """Causal attention in one call of torch, which never stores the score matrix.

    Args:
        backend: the implementation to insist on; None leaves the choice to torch.
    """

    def __init__(self, backend: SDPBackend | None = None) -> None:
        super().__init__()
        self.backend = backend

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Map three ``(batch, heads, tokens, d_head)`` to ``(batch, tokens, width)``."""
        insisted = nullcontext() if self.backend is None else sdpa_kernel(self.backend)
        with insisted:
            attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return _merge_heads(attended)


class AttentionLayer(nn.Module):
    """Four bias-free projections of ``width`` x ``width`` around a causal attention kernel.

    Args:
        attend: the kernel. It maps query, key and value, each ``(batch, heads, tokens,
            d_head)``, to the attended values with their heads merged, ``(batch, tokens, width)``.
        width: size of a token's vector, ``heads`` x ``d_head``.
        heads: number of heads.
    """

    def __init__(self, attend: nn.Module, width: int, heads: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.attend = attend
        self.heads = heads

    def forward(self, activation: Tensor) -> Tensor:
        """Map ``(batch, tokens, width)`` to the same shape."""
        query = self._split(self.query(activation))
        key = self._split(self.key(activation))
        value = self._split(self.value(activation))
        output: Tensor = self.output(self.attend(query, key, value))
        return output

    def project(self, activation: Tensor) -> None:
        """Run the four projections alone: the part of the layer that is linear in tokens."""
        for projection in (self.query, self.key, self.value, self.output):
            projection(activation)

    def _split(self, projected: Tensor) -> Tensor:
        return projected.view(*projected.shape[:-1], self.heads, -1).transpose(1, 2)


def _merge_heads(attended: Tensor) -> Tensor:
    return attended.transpose(1, 2).flatten(2)
