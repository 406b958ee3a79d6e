"""Training batches that depend on the seed and the step alone."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def training_batch(
    tokens: NDArray[np.uint16], batch_size: int, context_length: int, seed: int, step: int
) -> tuple[Tensor, Tensor]:
    """Return windows drawn uniformly from the training split, and what follows each token.

    A counter-based generator keyed by (seed, step) makes a batch independent of every batch
    before it: a run resumes anywhere, and two variants with one seed see the same windows.

    Args:
        tokens: the training split, (n,), longer than the context length.
        batch_size: windows to draw.
        context_length: tokens per window.
        seed: the run's seed.
        step: the update the batch is for, counted from 0.

    Returns:
        Inputs and targets, both (batch_size, context_length), int64; a target is the token
        after its input.
    """
    generator = np.random.Generator(np.random.Philox(key=[seed, step]))
    starts = generator.integers(0, len(tokens) - context_length, size=batch_size)
    windows = tokens[starts[:, None] + np.arange(context_length + 1)].astype(np.int64)
    return torch.from_numpy(windows[:, :-1]), torch.from_numpy(windows[:, 1:])
