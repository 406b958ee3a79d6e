"""How sharply a model attends: the spread of its scores, and what softmax makes of them."""

from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel

HARD = 0.99
"""A row that puts more than this on one token selects instead of averaging."""


@dataclass(frozen=True)
class Sharpness:
    """One block's attention, over all heads and all rows with at least two tokens in sight.

    Attributes:
        score_std: standard deviation of the scores that softmax sees, the masked ones left out.
        entropy: mean entropy of a row of weights, nats.
        hard_share: share of rows that put more than 0.99 on one token.
    """

    score_std: float
    entropy: float
    hard_share: float


@torch.no_grad()
def sharpness(model: LanguageModel, tokens: Tensor) -> list[dict[str, float]]:
    """Return the `Sharpness` of each block with attention, first block first.

    Args:
        model: left in evaluation mode.
        tokens: token ids, (batch, tokens), at least two tokens.
    """
    model.eval()
    blocks: list[Sharpness] = []

    def observe(attention: Attention, inputs: tuple[Tensor]) -> None:
        blocks.append(_of_scores(attention.scores(*inputs)))

    hooks = [
        module.register_forward_pre_hook(observe)
        for module in model.modules()
        if isinstance(module, Attention)
    ]
    try:
        model.hidden(tokens)
    finally:
        for hook in hooks:
            hook.remove()
    return [asdict(block) for block in blocks]


def _of_scores(scores: Tensor) -> Sharpness:
    rows = scores[..., 1:, :].double()  # the first token has nothing to choose from
    weights = rows.softmax(-1)
    entropy = torch.special.entr(weights).sum(-1)
    return Sharpness(
        score_std=rows[rows.isfinite()].std().item(),
        entropy=entropy.mean().item(),
        hard_share=(weights.amax(-1) > HARD).double().mean().item(),
    )
