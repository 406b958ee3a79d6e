"""Training batches that depend on the seed and the step alone."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rungs.training.budget import Budget


def training_batch(
    tokens: NDArray[np.uint16], budget: Budget, seed: int, step: int
) -> tuple[Tensor, Tensor]:
    """Return windows drawn uniformly from the training split, and what follows each token.

    A counter-based generator keyed by (seed, step) makes a batch independent of every batch
    before it: a run resumes anywhere, and two variants with one seed see the same windows.

    Args:
        tokens: the training split, (n,), longer than the context length.
        budget: batch size, context length, and where windows may start.
        seed: the run's seed.
        step: the update the batch is for, counted from 0.

    Returns:
        Inputs and targets, both (batch_size, context_length), int64; a target is the token
        after its input.
    """
    generator = np.random.Generator(np.random.Philox(key=[seed, step]))
    choices = -(-(len(tokens) - budget.context_length) // budget.stride)
    starts = budget.stride * generator.integers(0, choices, size=budget.batch_size)
    windows = tokens[starts[:, None] + np.arange(budget.context_length + 1)].astype(np.int64)
    return torch.from_numpy(windows[:, :-1]), torch.from_numpy(windows[:, 1:])
