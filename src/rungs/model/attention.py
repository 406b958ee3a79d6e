"""The two ways a position can look at its past: a uniform average, and attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.positions import alibi_bias, rotary_angles, rotate


class UniformAverage(nn.Module):
    """Each position becomes the mean of itself and all positions before it."""

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, tokens, width) to the same shape."""
        tokens = x.shape[1]
        lower = torch.ones(tokens, tokens, device=x.device, dtype=x.dtype).tril()
        return (lower / lower.sum(1, keepdim=True)) @ x


class Attention(nn.Module):
    """Self-attention (Vaswani et al. 2017, section 3.2).

    Each head scores its queries against its keys, divides by sqrt(d_k) and masks the future
    unless told not to, and averages its values by the softmax of the scores. Heads are
    concatenated and mixed by W_o, which a single head of the model's own width does without.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.heads = architecture.heads
        self.head_width = architecture.resolved_head_width
        self.positions = architecture.positions
        self.causal = architecture.causal
        self.dropout = architecture.dropout
        self.scale = self.head_width**-0.5 if architecture.divide_scores else 1.0
        inner = self.heads * self.head_width
        # One matrix for queries, keys and values: the same numbers, a third of the calls.
        self.qkv = nn.Linear(architecture.width, 3 * inner, bias=architecture.attention_bias)
        self.output = (
            nn.Linear(inner, architecture.width)
            if architecture.output_projection
            else nn.Identity()
        )

    def queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Project (batch, tokens, width) to three of (batch, heads, tokens, head_width)."""
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, self.heads, self.head_width)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()
        if self.positions == "rotary":
            cosines, sines = rotary_angles(tokens, self.head_width, x.device)
            q, k = rotate(q, cosines, sines), rotate(k, cosines, sines)
        return q, k, v

    def scores(self, x: Tensor) -> Tensor:
        """Return every score of (batch, tokens, width), (batch, heads, tokens, tokens).

        Their softmax over the last axis is the attention map. Scores of the future are minus
        infinity. The forward pass never holds them; this is for looking at them.
        """
        q, k, _ = self.queries_keys_values(x)
        scores = self.scale * q @ k.transpose(-2, -1)
        if self.positions == "alibi":
            return scores + self._alibi(x)
        if self.causal:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            return scores.masked_fill(future, float("-inf"))
        return scores

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, tokens, width) to the same shape."""
        q, k, v = self.queries_keys_values(x)
        bias = self._alibi(x) if self.positions == "alibi" else None
        mixed = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=bias,
            is_causal=self.causal and bias is None,
            dropout_p=self.dropout if self.training else 0.0,
            scale=self.scale,
        )
        return self.output(mixed.transpose(1, 2).flatten(2))

    def _alibi(self, x: Tensor) -> Tensor:
        return alibi_bias(self.heads, x.shape[1], x.device).to(x.dtype)
