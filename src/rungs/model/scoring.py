"""Scoring text: the cross entropy of every token, on windows that do not overlap."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from rungs.model.language_model import LanguageModel

TOKENS_PER_BATCH = 8_192

LARGEST_LOSS = 700.0
"""Nats per token; the perplexity of a larger one exceeds what a float can hold."""

Batch = tuple[Tensor, Tensor]
"""Inputs and the targets that follow them, both (windows, tokens), int64."""


@dataclass(frozen=True)
class Score:
    """The losses of a scored text.

    Attributes:
        loss: mean cross entropy, nats per token.
        tokens: tokens scored.
        loss_by_position: mean cross entropy at each position of a window, nats per token; at
            position p the model has read p + 1 tokens.
    """

    loss: float
    tokens: int
    loss_by_position: list[float]


def whole_text(tokens: NDArray[np.uint16], context_length: int) -> Iterator[Batch]:
    """Yield every token that has a predecessor once, the last short window included.

    Args:
        tokens: the text, (n,), at least two tokens.
        context_length: tokens per window.
    """
    predicted = len(tokens) - 1
    whole = predicted // context_length * context_length
    yield from _batches(tokens, np.arange(0, whole, context_length), context_length)
    if whole < predicted:
        yield from _batches(tokens, np.array([whole]), predicted - whole)


def evenly_spaced(tokens: NDArray[np.uint16], context_length: int, windows: int) -> Iterator[Batch]:
    """Yield at most ``windows`` windows that do not overlap, spread evenly over the text.

    Args:
        tokens: the text, (n,), longer than the context length.
        context_length: tokens per window.
        windows: how many windows, if the text has as many.
    """
    slots = (len(tokens) - 1) // context_length
    chosen = np.linspace(0, slots - 1, min(windows, slots)).round().astype(np.int64)
    yield from _batches(tokens, chosen * context_length, context_length)


def random_windows(
    tokens: NDArray[np.uint16], context_length: int, windows: int, seed: int
) -> Iterator[Batch]:
    """Yield ``windows`` windows that start anywhere, as a validation that samples reads a text.

    Args:
        tokens: the text, (n,), longer than the context length.
        context_length: tokens per window.
        windows: how many windows; they may overlap.
        seed: of the windows' starts.
    """
    starts = np.random.default_rng(seed).integers(0, len(tokens) - context_length, windows)
    yield from _batches(tokens, starts, context_length)


@torch.no_grad()
def score(model: LanguageModel, batches: Iterable[Batch], device: torch.device) -> Score:
    """Score the batches' targets with ``model``, which is left in evaluation mode.

    Logits are float32; losses are summed in float64.
    """
    model.eval()
    sums: dict[int, float] = {}
    counts: dict[int, int] = {}
    for inputs, targets in batches:
        logits = model(inputs.to(device))
        losses = F.cross_entropy(
            logits.flatten(0, 1), targets.to(device).flatten(), reduction="none"
        )
        by_position = losses.view_as(targets).double().sum(0).tolist()
        for position, loss in enumerate(by_position):
            sums[position] = sums.get(position, 0.0) + loss
            counts[position] = counts.get(position, 0) + len(targets)
    tokens = sum(counts.values())
    return Score(
        loss=sum(sums.values()) / tokens,
        tokens=tokens,
        loss_by_position=[sums[position] / counts[position] for position in sorted(sums)],
    )


def _batches(tokens: NDArray[np.uint16], starts: NDArray[np.int64], length: int) -> Iterator[Batch]:
    per_batch = max(1, TOKENS_PER_BATCH // length)
    for first in range(0, len(starts), per_batch):
        rows = starts[first : first + per_batch, None] + np.arange(length + 1)
        windows = torch.from_numpy(tokens[rows].astype(np.int64))
        yield windows[:, :-1], windows[:, 1:]
