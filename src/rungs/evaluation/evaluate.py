"""The stage `evaluate`: one run, scored at every context length its positions reach."""

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from rungs.corpus.tokens import load_tokens, refuse_short_validation
from rungs.device import Device, select_device
from rungs.evaluation.trained import load_trained, write_diverged, write_without_scores
from rungs.files import write_json
from rungs.model.scoring import (
    LARGEST_LOSS,
    Score,
    evenly_spaced,
    random_windows,
    score,
    whole_text,
)
from rungs.reading import reading

TRAINING_SAMPLE_TOKENS = 45_976
"""Training tokens scored: as many as the chapter's validation split has, or its own, if smaller."""

SAMPLED_WINDOWS = 320
"""Of the validation that a reading of the text samples: five batches of 64. Fewer of less text."""


def run(
    *,
    run: Annotated[Path, "the run's folder"],
    train: Annotated[Path, "training tokens, .npy"],
    validation: Annotated[Path, "validation tokens, .npy"],
    context_lengths: Sequence[int],
    device: Device = "auto",
    output: Path,
) -> str:
    """Score the validation split at each context length, and a fixed sample of the training split.

    A run that diverged has no scores: its evaluation says at which step. So has one that ended with
    a loss that has no perplexity, at its last step.

    Every token of the validation split counts once, whatever the context length. Random windows of
    it, drawn by the run's seed, are scored beside that, and its quarters at the training context
    length: a text is not even. The training sample is read at the training context length and is
    the same for every run of a corpus and budget.

    Raises:
        UserError: a file of the run or the corpus cannot be read, or the validation split does not
            fill a window.
    """
    if diverged := write_diverged(run, output):
        return diverged
    torch_device = select_device(device)
    model, description = load_trained(run, train, validation, torch_device)
    with reading(run / "run.json"):
        trained_length, seed = int(description["budget"]["context_length"]), description["seed"]
        weights = description["weights_sha256"]
    validation_tokens = load_tokens(validation)
    refuse_short_validation(validation, len(validation_tokens), max(context_lengths))
    train_tokens = load_tokens(train)
    by_length = {
        str(length): score(model, whole_text(validation_tokens, length), torch_device)
        for length in context_lengths
    }
    by_sampling = {
        str(length): score(model, random_windows(validation_tokens, length, n, seed), torch_device)
        for length in context_lengths
        if (n := windows_of(validation_tokens, length))
    }
    quarters = [
        score(model, whole_text(part, trained_length), torch_device).loss
        for part in quarters_of(validation_tokens)
    ]
    sampled = min(TRAINING_SAMPLE_TOKENS, len(validation_tokens)) // trained_length
    sample = evenly_spaced(train_tokens, trained_length, sampled)
    training = score(model, sample, torch_device)
    scores = (*by_length.values(), *by_sampling.values(), training)
    losses = [result.loss for result in scores] + quarters
    if not all(loss <= LARGEST_LOSS for loss in losses):
        return write_without_scores(description, description["budget"]["steps"], output)
    write_json(
        output,
        {
            "parameters": description["parameters"],
            "weights_sha256": weights,
            "validation": {length: _result(result) for length, result in by_length.items()},
            "sampled": {length: _perplexity(result) for length, result in by_sampling.items()},
            "validation_quarters": {"context_length": trained_length, "losses": quarters},
            "training": {"context_length": trained_length, **_result(training)},
        },
    )
    shown = ", ".join(f"{math.exp(r.loss):.2f} at {length}" for length, r in by_length.items())
    return f"{output}: validation perplexity {shown}"


def windows_of(tokens: NDArray[np.uint16], length: int) -> int:
    """Return how many windows a sampled validation of a text, (n,), reads."""
    return min(SAMPLED_WINDOWS, len(tokens) // length)


def quarters_of(tokens: NDArray[np.uint16]) -> list[NDArray[np.uint16]]:
    """Return four parts of a text, (n,), such that each of its n - 1 predictions is in one."""
    ends = np.linspace(0, len(tokens) - 1, 5).round().astype(np.int64)
    return [tokens[first : last + 1] for first, last in pairwise(ends)]


def _result(result: Score) -> dict[str, Any]:
    return {**_perplexity(result), "loss_by_position": result.loss_by_position}


def _perplexity(result: Score) -> dict[str, Any]:
    return {
        "loss": result.loss,
        "perplexity": math.exp(result.loss),
        "tokens": result.tokens,
    }
