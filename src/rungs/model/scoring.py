"""Scoring a text: every token once, in windows that do not overlap."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from rungs.model.language_model import LanguageModel

TOKENS_PER_BATCH = 8_192


@dataclass(frozen=True)
class Score:
    """The losses of a scored text.

    Attributes:
        loss: mean cross entropy, nats per token.
        tokens: tokens scored.
        loss_by_position: mean cross entropy at each position of a window, (context_length,).
    """

    loss: float
    tokens: int
    loss_by_position: list[float]


@torch.no_grad()
def score(
    model: LanguageModel, tokens: NDArray[np.uint16], context_length: int, device: torch.device
) -> Score:
    """Score every token that has a predecessor once, the last short window included.

    Window w reads tokens w * context_length onwards, so that a token at position p of its
    window is predicted from p + 1 tokens.

    Args:
        model: the model, put into evaluation mode and left in it.
        tokens: the text, (n,), at least two tokens.
        context_length: tokens per window.
        device: where the model is.
    """
    model.eval()
    text = torch.from_numpy(tokens.astype(np.int64))
    predicted = len(text) - 1
    whole = predicted // context_length * context_length
    inputs, targets = text[:-1], text[1:]
    sums = torch.zeros(context_length, dtype=torch.float64)
    counts = torch.zeros(context_length, dtype=torch.float64)
    windows = list(
        zip(
            inputs[:whole].view(-1, context_length).split(_windows_per_batch(context_length)),
            targets[:whole].view(-1, context_length).split(_windows_per_batch(context_length)),
            strict=True,
        )
    )
    if whole < predicted:
        windows.append((inputs[None, whole:], targets[None, whole:]))
    for batch_inputs, batch_targets in windows:
        losses = _losses(model, batch_inputs.to(device), batch_targets.to(device))
        length = losses.shape[1]
        sums[:length] += losses.sum(0)
        counts[:length] += losses.shape[0]
    reached = counts > 0
    return Score(
        loss=(sums.sum() / counts.sum()).item(),
        tokens=int(counts.sum().item()),
        loss_by_position=(sums[reached] / counts[reached]).tolist(),
    )


def _windows_per_batch(context_length: int) -> int:
    return max(1, TOKENS_PER_BATCH // context_length)


def _losses(model: LanguageModel, inputs: Tensor, targets: Tensor) -> Tensor:
    """Return the cross entropy of each target, (windows, context_length), float64 on the CPU."""
    logits = model(inputs)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return losses.view_as(targets).double().cpu()
