"""The ways a position can look at its past: a uniform average, a window, and attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.positions import encoding_of


class Past:
    """What one mixer keeps of the tokens it has read, so that only new ones are computed.

    A causal position never changes once it is computed.

    Attributes:
        tokens: how many have been read; the model counts them.
        kept: what the mixer needs of them.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self.kept: tuple[Tensor, ...] = ()

    def append(self, *new: Tensor) -> tuple[Tensor, ...]:
        """Keep ``new``, each (..., tokens, features), and return it behind what was kept."""
        if self.kept:
            new = tuple(torch.cat(pair, -2) for pair in zip(self.kept, new, strict=True))
        self.kept = new
        return new


class UniformAverage(nn.Module):
    """Each position becomes the mean of itself and all positions before it."""

    def forward(self, x: Tensor, past: Past | None = None) -> Tensor:
        """Map (batch, tokens, width) to the same shape."""
        tokens = x.shape[1]
        if past is None:
            lower = torch.ones(tokens, tokens, device=x.device, dtype=x.dtype).tril()
            return (lower / lower.sum(1, keepdim=True)) @ x
        sums = sum(past.kept, x.cumsum(1))
        past.kept = (sums[:, -1:],)
        return sums / torch.arange(1, tokens + 1, device=x.device).add(past.tokens)[:, None]


class Window(nn.Module):
    """The last tokens, laid side by side and read by a hidden layer (Bengio et al. 2003, eq. 1).

    Every place in the window has its own weights, so that the layer grows with the window.
    Places before the first token are zero.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        assert architecture.window is not None
        self.window = architecture.window
        self.hidden = nn.Linear(self.window * architecture.width, architecture.output_width)

    def forward(self, x: Tensor, past: Past | None = None) -> Tensor:
        """Map (batch, tokens, width) to (batch, tokens, output_width)."""
        tokens = x.shape[1]
        if past is not None:
            (x,) = past.append(x)
            past.kept = (x[:, max(0, x.shape[1] - self.window + 1) :],)
        padded = F.pad(x, (0, 0, self.window - 1, 0))
        return self.hidden(padded.unfold(1, self.window, 1).flatten(2)).tanh()[:, -tokens:]


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
        self.causal = architecture.causal
        self.dropout = architecture.dropout
        self.scale = self.head_width**-0.5 if architecture.divide_scores else 1.0
        width, inner = architecture.width, self.heads * self.head_width
        self.positions = encoding_of(architecture)
        table = self.positions.table_shape if self.positions.in_attention() else None
        self.position_table = nn.Embedding(*table) if table else None
        # One matrix for queries, keys and values: the same numbers, a third of the calls.
        self.qkv = nn.Linear(width, 3 * inner, bias=architecture.attention_bias)
        self.output = nn.Linear(inner, width) if architecture.output_projection else nn.Identity()

    def queries_keys_values(self, x: Tensor, start: int = 0) -> tuple[Tensor, Tensor, Tensor]:
        """Project (batch, tokens, width) to three of (batch, heads, tokens, head_width).

        The first token stands at position ``start``.
        """
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, self.heads, self.head_width)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()
        where = torch.arange(start, start + tokens, device=x.device)
        return self.positions.turned(q, where), self.positions.turned(k, where), v

    def scores(self, x: Tensor) -> Tensor:
        """Return every score of (batch, tokens, width), (batch, heads, tokens, tokens).

        Their softmax over the last axis is the attention map. Scores of the future are minus
        infinity. The forward pass never holds them; this is for looking at them.
        """
        q, k, _ = self.queries_keys_values(x)
        scores = self.scale * q @ k.transpose(-2, -1)
        bias = self._bias(0, x.shape[1], x)
        if bias is not None:
            return scores + bias
        return scores.masked_fill(_future(0, x.shape[1], x), -torch.inf) if self.causal else scores

    def forward(self, x: Tensor, past: Past | None = None) -> Tensor:
        """Map (batch, tokens, width) to the same shape; tokens of the past are looked at, too."""
        start = past.tokens if past is not None else 0
        q, k, v = self.queries_keys_values(x, start)
        if past is not None:
            assert self.causal, "without the mask, the past changes with every token"
            k, v = past.append(k, v)
        mask = self._bias(start, k.shape[2], x)
        if mask is None and self.causal and start:  # torch masks a whole window without a matrix
            mask = ~_future(start, k.shape[2], x)
        dropout, causal = self.dropout if self.training else 0.0, self.causal and mask is None
        mixed = F.scaled_dot_product_attention(q, k, v, mask, dropout, causal, scale=self.scale)
        return self.output(mixed.transpose(1, 2).flatten(2))

    def _bias(self, start: int, stop: int, x: Tensor) -> Tensor | None:
        """Return what is added to scores, causal mask included, (heads, stop - start, stop)."""
        keys = torch.arange(stop, device=x.device)
        bias = self.positions.bias(self.position_table, keys[start:], keys)
        if bias is not None and self.causal:
            bias = bias.masked_fill(_future(start, stop, x), -torch.inf)
        return None if bias is None else bias.to(x.dtype)


def _future(start: int, stop: int, x: Tensor) -> Tensor:
    """Return which keys, 0 to stop, lie after each query, start to stop."""
    return torch.ones(stop - start, stop, dtype=torch.bool, device=x.device).triu(start + 1)
