"""What the time of a pass through a model is made of, from the configuration alone.

Matrix products alone do not predict the time of models as small as these. A pass is counted in
six quantities, and a machine is described by the seconds that one unit of each takes, which a
calibration measures (``rungs.planning.calibrate``).
"""

from typing import NamedTuple

from rungs.model.architecture import Architecture
from rungs.model.positions import encoding_of
from rungs.planning import flops

TOKENS_PER_BATCH = 8_192
"""Scored at a time; the scoring itself imports torch, which a plan does without."""


class Work(NamedTuple):
    """Quantities of one or more passes."""

    linear: float
    """Operations of linear layers."""
    attention: float
    """Operations of attention."""
    elements: float
    """Numbers read or written by everything that is not a product: LayerNorm, GELU, copies."""
    logits: float
    """Logits, each of which the loss exponentiates."""
    calls: float
    """Operators called in the forward passes: each costs something however small its tensors."""
    passes: float = 1
    """Steps or batches: what each costs besides, to draw a batch or to update the weights."""

    def times(self, factor: float) -> "Work":
        """Return the work of so many such passes."""
        return Work(*(quantity * factor for quantity in self))

    def plus(self, other: "Work") -> "Work":
        """Return the work of both."""
        return Work(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Work(0, 0, 0, 0, 0, 0)


def training_step(a: Architecture, vocabulary: int, windows: int, tokens: int) -> Work:
    """Return the work of one update on ``windows`` windows of ``tokens`` tokens."""
    return _work(
        flops.training_step(a, vocabulary, windows, tokens), a, vocabulary, windows, tokens
    )


def scoring(a: Architecture, vocabulary: int, tokens: int, context_length: int) -> Work:
    """Return the work of scoring ``tokens`` tokens, batch by batch."""
    counted = flops.scoring(a, vocabulary, tokens, context_length)
    batches = 1 + tokens / TOKENS_PER_BATCH
    one = _work(counted, a, vocabulary, 1, context_length)
    return one._replace(
        elements=one.elements / context_length * tokens,
        logits=vocabulary * tokens,
        calls=one.calls * batches,
        passes=batches,
    )


def _work(
    counted: flops.Flops, a: Architecture, vocabulary: int, windows: int, tokens: int
) -> Work:
    positions = windows * tokens
    return Work(
        linear=counted.linear,
        attention=counted.attention,
        elements=positions * _elements(a, tokens),
        logits=positions * vocabulary,
        calls=_calls(a),
    )


def _elements(a: Architecture, tokens: int) -> float:
    """Return the numbers per position that a forward pass touches outside of products.

    A weight per number says how often it is read or written: a LayerNorm three times, a GELU,
    with its error function, five, a copy once. Backward passes touch in proportion.
    """
    inner = a.heads * a.resolved_head_width
    sub_layer = a.width * ((1 if a.residual else 0) + (0 if a.normalization == "none" else 3))
    block = 0.0
    if a.mixer == "average":
        block += sub_layer + a.width
    if a.window:
        block += a.window * a.width + 3 * a.output_width
    if a.mixer == "attention":
        block += sub_layer + 4 * inner + encoding_of(a).touched(tokens)
    if a.feed_forward:
        block += sub_layer + 5 * 4 * a.width
    return 2 * a.width + a.depth * block + (3 * a.width if a.normalization == "pre" else 0)


def _calls(a: Architecture) -> float:
    block = 0
    if a.mixer == "average":
        block += 8
    if a.window:
        block += 6
    if a.mixer == "attention":
        block += 10 + encoding_of(a).calls
    if a.feed_forward:
        block += 5
    block += 0 if a.normalization == "none" else 2
    return 10 + a.depth * block
