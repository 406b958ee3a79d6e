"""Floating-point operations of training and scoring, counted from the configuration alone.

Only matrix products count, a multiplication and an addition as two operations. That is the
convention of ``torch.utils.flop_counter``, against which a test checks every formula, with two
deliberate differences:

* The scores and the averaged values are counted over all n x n pairs of positions, though tiled
  kernels skip most of the masked future. A count is then the same for every kernel.
* The backward pass of attention has four products. A tiled kernel makes a fifth, because it
  computes the scores again instead of keeping them; torch counts it, we count the mathematics.
"""

from typing import NamedTuple

from rungs.model.architecture import Architecture


class Flops(NamedTuple):
    """Operations of one pass, by the kind of product, because the kinds run at other rates."""

    linear: int
    """Linear layers, the output layer and the uniform average."""
    attention: int
    """Scores, and values averaged by them."""

    @property
    def total(self) -> int:
        """All operations."""
        return self.linear + self.attention

    def times(self, factor: int) -> "Flops":
        """Return the operations of so many such passes."""
        return Flops(self.linear * factor, self.attention * factor)


def forward(architecture: Architecture, vocabulary: int, windows: int, tokens: int) -> Flops:
    """Return the operations from token ids to logits.

    Args:
        architecture: the model's shape.
        vocabulary: size of the output layer.
        windows: windows in the batch.
        tokens: tokens per window.
    """
    width, depth = architecture.width, architecture.depth
    inner = architecture.heads * architecture.resolved_head_width
    weights = architecture.output_width * vocabulary
    averages = scores = 0
    if architecture.feed_forward:
        weights += depth * 8 * width**2
    if architecture.mixer == "attention":
        weights += depth * 3 * width * inner
        weights += depth * inner * width if architecture.output_projection else 0
        scores = 2 * depth * inner
    if architecture.mixer == "average":
        averages = depth * width
    if architecture.window:
        weights += architecture.window * width * architecture.output_width
    pairs = windows * tokens**2
    return Flops(2 * (windows * tokens * weights + pairs * averages), 2 * pairs * scores)


def training_step(architecture: Architecture, vocabulary: int, windows: int, tokens: int) -> Flops:
    """Return the operations of a forward and a backward pass.

    Backward, every product of two tensors that need a gradient becomes two. The triangle of the
    uniform average is a constant and becomes one. The optimiser multiplies no matrices.
    """
    once = forward(architecture, vocabulary, windows, tokens)
    averages = architecture.depth * architecture.width if architecture.mixer == "average" else 0
    constant = 2 * windows * tokens**2 * averages
    return Flops(3 * once.linear - constant, 3 * once.attention)


def scoring(architecture: Architecture, vocabulary: int, tokens: int, context_length: int) -> Flops:
    """Return the operations of predicting ``tokens`` tokens in windows that do not overlap."""
    whole, rest = divmod(tokens, context_length)
    windows = forward(architecture, vocabulary, whole, context_length)
    last = forward(architecture, vocabulary, 1 if rest else 0, rest)
    return Flops(windows.linear + last.linear, windows.attention + last.attention)


def attention_layer(tokens: int, width: int) -> Flops:
    """Return the operations of a point of the kernel sweep: one layer, batch 1, forward."""
    return Flops(8 * tokens * width**2, 4 * tokens**2 * width)
