"""The attention maps of a trained model: what each position of each head looks at."""

import torch
from torch import Tensor

from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel


@torch.no_grad()
def attention_maps(model: LanguageModel, tokens: Tensor) -> list[Tensor]:
    """Return each block's weights, first block first; none of a model without attention.

    Args:
        model: left in evaluation mode.
        tokens: token ids, (batch, tokens).

    Returns:
        For each block (batch, heads, tokens, tokens): row t is what position t averages by.
    """
    model.eval()
    maps: list[Tensor] = []

    def observe(attention: Attention, inputs: tuple[Tensor]) -> None:
        maps.append(attention.scores(*inputs).softmax(-1))

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
    return maps
