"""A block: a mixer and a feed-forward network, each wrapped in residual, LayerNorm and dropout."""

from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention, UniformAverage
from rungs.model.window import Window


class SubLayer(nn.Module):
    """Wraps a function of (batch, tokens, width) the way the architecture says.

    Pre-norm computes x + f(LayerNorm(x)), post-norm LayerNorm(x + f(x)) (Xiong et al. 2020,
    table 1). Without the residual the function's output replaces x.
    """

    def __init__(self, function: nn.Module, architecture: Architecture) -> None:
        super().__init__()
        self.function = function
        self.residual = architecture.residual
        self.before = _layer_norm(architecture, "pre")
        self.after = _layer_norm(architecture, "post")
        self.dropout = nn.Dropout(architecture.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, tokens, width) to the same shape."""
        y = self.dropout(self.function(self.before(x)))
        return self.after(x + y if self.residual else y)


def feed_forward(width: int) -> nn.Sequential:
    """Return the per-position network: four times the width, GELU, and back."""
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


def block(architecture: Architecture) -> nn.Sequential:
    """Return the sub-layers of one block, in the order they are applied."""
    layers = nn.Sequential()
    if architecture.mixer == "average":
        layers.add_module("mixer", SubLayer(UniformAverage(), architecture))
    if architecture.mixer == "window":
        layers.add_module("mixer", SubLayer(Window(architecture), architecture))
    if architecture.mixer == "attention":
        layers.add_module("mixer", SubLayer(Attention(architecture), architecture))
    if architecture.feed_forward:
        layers.add_module("feed_forward", SubLayer(feed_forward(architecture.width), architecture))
    return layers


def _layer_norm(architecture: Architecture, where: str) -> nn.Module:
    if architecture.normalization == where:
        return nn.LayerNorm(architecture.width)
    return nn.Identity()
