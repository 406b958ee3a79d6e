"""Memory and disk of a job, from the configuration alone."""

from rungs.model.architecture import Architecture
from rungs.model.positions import encoding_of
from rungs.planning.work import TOKENS_PER_BATCH

TORCH_MIB = 400
"""What a process holds once torch is imported and its first products are made."""
FLOAT = 4
MIB = 2**20


def parameters(a: Architecture, vocabulary: int) -> int:
    """Return the number of parameters of a language model."""
    width, inner = a.width, a.heads * a.resolved_head_width
    norm = 2 * width
    block = 0
    if a.mixer == "attention":
        block += 3 * inner * (width + (1 if a.attention_bias else 0))
        block += (inner + 1) * width if a.output_projection else 0
    if a.window:
        block += (a.window * width + 1) * a.output_width
    if a.feed_forward:
        block += 8 * width**2 + 5 * width
    if a.normalization != "none":
        block += norm * ((a.mixer != "none") + a.feed_forward)
    rows, columns = encoding_of(a).table_shape or (0, 0)
    tables = rows * columns * (a.depth if encoding_of(a).in_attention() else 1)
    output = 0 if a.tied_output else (a.output_width + 1) * vocabulary
    final = norm if a.normalization == "pre" else 0
    return width * vocabulary + tables + a.depth * block + final + output


def training_mib(a: Architecture, vocabulary: int, windows: int, tokens: int) -> float:
    """Return the MiB that a training process holds at its largest: in a step, or validating.

    While it validates, the gradients and AdamW's two moments stay.
    """
    validating = scoring_mib(a, vocabulary) + 3 * FLOAT * parameters(a, vocabulary) / MIB
    return max(step_mib(a, vocabulary, windows, tokens), validating)


def step_mib(a: Architecture, vocabulary: int, windows: int, tokens: int) -> float:
    """Return the MiB of a process that makes steps, rounded up by a third.

    Weights, their gradients and AdamW's two moments; what every block keeps for its backward
    pass; and what the backward pass holds besides, about one block's worth.
    """
    positions = windows * tokens
    inner = a.heads * a.resolved_head_width
    block = 2 * a.width
    if a.mixer == "attention":
        block += 5 * inner + a.width + encoding_of(a).kept
    if a.window:
        block += a.window * a.width + a.output_width
    if a.feed_forward:
        block += 2 * 4 * a.width
    if a.normalization != "none":
        block += 2 * a.width
    activations = FLOAT * positions * (2 * a.width + (a.depth + 1) * block)
    weights = 4 * FLOAT * parameters(a, vocabulary)
    return TORCH_MIB + 4 / 3 * (activations + weights) / MIB


def scoring_mib(a: Architecture, vocabulary: int) -> float:
    """Return the MiB of scoring batch by batch; the logits of one are held twice or more."""
    block = 4 * (a.width + a.heads * a.resolved_head_width) + (8 * a.width if a.feed_forward else 0)
    if a.window:
        block += a.window * a.width + a.output_width
    batch = TOKENS_PER_BATCH * (3 * vocabulary + block)
    return TORCH_MIB + FLOAT * (batch + parameters(a, vocabulary)) / MIB


def kernel_mib(kernel: str, tokens: int, width: int, heads: int) -> float:
    """Return the MiB counted for one attention layer, without a device's workspace.

    The four weights and six activations, and where the kernel stores them two score matrices and a
    boolean mask; or, while it masks, two masks and four activations.
    """
    weights, activation, mask = FLOAT * 4 * width**2, FLOAT * tokens * width, tokens**2
    if kernel != "naive":
        return (weights + 6 * activation) / MIB
    scores = 2 * FLOAT * heads * tokens**2
    return (weights + scores + max(6 * activation + mask, 4 * activation + 2 * mask)) / MIB


def run_bytes(a: Architecture, vocabulary: int, validations: int) -> int:
    """Return the bytes of a finished run: weights, history and description."""
    return FLOAT * parameters(a, vocabulary) + 150 * validations + 2_000
