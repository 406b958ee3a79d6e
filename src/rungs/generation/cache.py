"""A trained model that reads one token at a time, and keeps what the next one needs of the past.

A causal position never changes once it is computed, so that its keys and values can be kept and
only those of new tokens computed. The layers are those of `LanguageModel`; of each mixer only the
way it reads its past is written here.
"""

import copy

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rungs.model.attention import Attention, UniformAverage
from rungs.model.block import SubLayer
from rungs.model.language_model import LanguageModel
from rungs.model.positions import alibi_bias, rotary_angles, rotate, sinusoidal_table
from rungs.model.window import Window


class CachedAttention(nn.Module):
    """Attention of new tokens to themselves and to all earlier ones."""

    def __init__(self, attention: Attention) -> None:
        super().__init__()
        assert attention.causal, "without the mask, the past changes with every token"
        self.positions = attention.positions
        attention.positions = "none"  # its projections count positions from zero
        self.attention = attention
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Map new tokens (batch, tokens, width) to the same shape, and remember them."""
        attention, tokens = self.attention, x.shape[1]
        q, k, v = attention.queries_keys_values(x)
        past = 0 if self.keys is None else self.keys.shape[2]
        if self.positions == "rotary":
            angles = rotary_angles(past + tokens, attention.head_width, x.device)
            cosines, sines = (angle[past:] for angle in angles)
            q, k = rotate(q, cosines, sines), rotate(k, cosines, sines)
        if self.keys is not None and self.values is not None:
            k, v = torch.cat((self.keys, k), 2), torch.cat((self.values, v), 2)
        self.keys, self.values = k, v
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=self._mask(past, tokens, x), scale=attention.scale
        )
        return attention.output(mixed.transpose(1, 2).flatten(2))

    def _mask(self, past: int, tokens: int, x: Tensor) -> Tensor | None:
        """Return what keeps new tokens from the future, (..., tokens, past + tokens)."""
        if self.positions == "alibi":
            bias = alibi_bias(self.attention.heads, past + tokens, x.device)
            return bias[:, past:].to(x.dtype)
        if tokens == 1:  # everything is past
            return None
        return torch.ones(tokens, past + tokens, dtype=torch.bool, device=x.device).tril(past)


class CachedAverage(nn.Module):
    """The mean of all tokens so far, from their sum and their number."""

    def __init__(self) -> None:
        super().__init__()
        self.sum: Tensor | None = None
        self.count = 0

    def forward(self, x: Tensor) -> Tensor:
        """Map new tokens (batch, tokens, width) to the same shape, and remember their sum."""
        sums = x.cumsum(1) if self.sum is None else self.sum + x.cumsum(1)
        counts = torch.arange(1, x.shape[1] + 1, device=x.device) + self.count
        self.sum, self.count = sums[:, -1:], self.count + x.shape[1]
        return sums / counts[:, None]


class CachedWindow(nn.Module):
    """A window over the last few tokens, which are all it remembers."""

    def __init__(self, layer: Window) -> None:
        super().__init__()
        self.layer = layer
        self.past: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Map new tokens (batch, tokens, width) to (batch, tokens, output_width)."""
        past = x[:, :0] if self.past is None else self.past
        together = torch.cat((past, x), 1)
        self.past = together[:, -(self.layer.window - 1) :] if self.layer.window > 1 else x[:, :0]
        return self.layer(together)[:, past.shape[1] :]


class CachedModel:
    """A copy of a causal model that is told new tokens and gives the logits after the last one."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = copy.deepcopy(model).eval()
        self.read = 0
        for module in self.model.modules():
            if isinstance(module, SubLayer):
                module.function = _cached(module.function)

    @torch.no_grad()
    def append(self, tokens: Tensor) -> Tensor:
        """Read new tokens (batch, tokens) after all earlier ones.

        Returns:
            The logits of what follows the last one, (batch, vocabulary).

        Raises:
            IndexError: more tokens than the learned position table has rows.
        """
        model = self.model
        x = model.embedding(tokens) + self._positions(tokens)
        self.read += tokens.shape[1]
        return model.output(model.final_norm(model.blocks(x))[:, -1])

    def _positions(self, tokens: Tensor) -> Tensor | float:
        model, stop = self.model, self.read + tokens.shape[1]
        if model.position_table is not None:
            return model.position_table(torch.arange(self.read, stop, device=tokens.device))
        if model.architecture.positions == "sinusoidal":
            table = sinusoidal_table(stop, model.architecture.width)
            return table[self.read :].to(tokens.device, model.embedding.weight.dtype)
        return 0.0


def _cached(function: nn.Module) -> nn.Module:
    """Return what does the same as ``function`` token by token; itself, where that is no matter."""
    match function:
        case Attention():
            return CachedAttention(function)
        case UniformAverage():
            return CachedAverage()
        case Window():
            return CachedWindow(function)
    return function
