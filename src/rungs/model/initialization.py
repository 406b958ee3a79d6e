"""Another start than PyTorch's."""

import math

from torch import nn

from rungs.model.block import SubLayer

STANDARD_DEVIATION = 0.02


def initialize_as_gpt2(model: nn.Module, depth: int) -> None:
    """Draw a model's parameters anew, in place, as GPT-2 starts.

    Weights and embeddings N(0, 0.02), biases 0, and the layers that write into the residual stream
    smaller by the square root of their number, two a block (Radford et al. 2019, section 2.3). What
    a single head without W_o or an average adds has no such layer.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=STANDARD_DEVIATION)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, SubLayer) and module.residual:
            *_, last = module.function.modules()
            if isinstance(last, nn.Linear):
                nn.init.normal_(last.weight, std=STANDARD_DEVIATION / math.sqrt(2 * depth))
