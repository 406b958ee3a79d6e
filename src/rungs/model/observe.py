"""Looking inside a model: the attention maps of a text, and how sharp they are."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

import torch
from torch import Tensor

from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel

T = TypeVar("T")

SATURATED = 0.99
"""A row that puts more than this on one token selects instead of averaging."""


@torch.no_grad()
def of_each_attention(
    model: LanguageModel, tokens: Tensor, look: Callable[[Attention, Tensor], T]
) -> list[T]:
    """Return what ``look`` makes of each block's attention and its input, first block first.

    Args:
        model: left in evaluation mode.
        tokens: token ids, (batch, tokens).
        look: given the layer and what it reads, (batch, tokens, width).
    """
    model.eval()
    found: list[T] = []
    hooks = [
        module.register_forward_pre_hook(lambda layer, inputs: found.append(look(layer, inputs[0])))
        for module in model.modules()
        if isinstance(module, Attention)
    ]
    try:
        model.hidden(tokens)
    finally:
        for hook in hooks:
            hook.remove()
    return found


def attention_maps(model: LanguageModel, tokens: Tensor) -> list[Tensor]:
    """Return each block's weights, first block first; none of a model without attention.

    Args:
        model: left in evaluation mode.
        tokens: token ids, (batch, tokens).

    Returns:
        For each block (batch, heads, tokens, tokens): row t is what position t averages by.
    """
    return of_each_attention(model, tokens, lambda layer, x: layer.scores(x).softmax(-1))


@dataclass(frozen=True)
class AttentionStatistics:
    """One block's attention, over all heads and all rows with at least two tokens in sight.

    Attributes:
        score_std: standard deviation of the scores that softmax sees, the masked ones left out.
        entropy: mean entropy of a row of weights, nats.
        saturated_share: share of rows that put more than 0.99 on one token.
    """

    score_std: float
    entropy: float
    saturated_share: float


def attention_statistics(model: LanguageModel, tokens: Tensor) -> list[dict[str, float]]:
    """Return the `AttentionStatistics` of each block with attention, first block first.

    Args:
        model: left in evaluation mode.
        tokens: token ids, (batch, tokens), at least two tokens.
    """
    of_blocks = of_each_attention(model, tokens, lambda layer, x: _of_scores(layer.scores(x)))
    return [asdict(block) for block in of_blocks]


def _of_scores(scores: Tensor) -> AttentionStatistics:
    rows = scores[..., 1:, :].double()  # the first token has nothing to choose from
    weights = rows.softmax(-1)
    entropy = torch.special.entr(weights).sum(-1)
    return AttentionStatistics(
        score_std=rows[rows.isfinite()].std().item(),
        entropy=entropy.mean().item(),
        saturated_share=(weights.amax(-1) > SATURATED).double().mean().item(),
    )
