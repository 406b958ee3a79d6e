"""A block: a mixer and a feed-forward network, each wrapped in residual, LayerNorm and dropout."""

from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention, Past, UniformAverage, Window


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

    def forward(self, x: Tensor, *past: Past | None) -> Tensor:
        """Map (batch, tokens, width) to the same shape; a mixer is given its past as well."""
        y = self.dropout(self.function(self.before(x), *past))
        return self.after(x + y if self.residual else y)


def feed_forward(width: int) -> nn.Sequential:
    """Return the per-position network: four times the width, GELU, and back."""
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class Block(nn.Module):
    """The sub-layers of one block, either of which an architecture can do without."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.mixer: SubLayer | None = None
        self.feed_forward: SubLayer | None = None
        if architecture.mixer == "average":
            self.mixer = SubLayer(UniformAverage(), architecture)
        if architecture.mixer == "window":
            self.mixer = SubLayer(Window(architecture), architecture)
        if architecture.mixer == "attention":
            self.mixer = SubLayer(Attention(architecture), architecture)
        if architecture.feed_forward:
            self.feed_forward = SubLayer(feed_forward(architecture.width), architecture)

    def forward(self, x: Tensor, past: Past | None = None) -> Tensor:
        """Map (batch, tokens, width) to (batch, tokens, output_width)."""
        if self.mixer is not None:
            x = self.mixer(x, past)
        return x if self.feed_forward is None else self.feed_forward(x)


def _layer_norm(architecture: Architecture, where: str) -> nn.Module:
    if architecture.normalization == where:
        return nn.LayerNorm(architecture.width)
    return nn.Identity()
