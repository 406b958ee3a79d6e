"""What a run must have to be scored: windows that its split fills, and training that ended."""

import argparse
from pathlib import Path
from typing import Any

from rungs.corpus.tokens import load_tokens, refuse_short_validation
from rungs.errors import UserError
from rungs.training.budget import Budget


def refuse_unfilled_windows(arguments: argparse.Namespace) -> None:
    """Refuse to train or evaluate at a context length that the validation split does not fill.

    Args:
        arguments: of the stage ``train``, with a budget, or ``evaluate``, with context lengths.

    Raises:
        UserError: names the split, its tokens and the length.
    """
    if arguments.stage == "train":
        lengths = [Budget.model_validate_json(arguments.budget).context_length]
    else:
        lengths = arguments.context_lengths
    tokens = len(load_tokens(arguments.validation))
    refuse_short_validation(arguments.validation, tokens, max(lengths))


def refuse_diverged_run(run: Path, description: dict[str, Any]) -> None:
    """Refuse to score the weights at which a run's training diverged: they are no result.

    Args:
        run: the run's folder.
        description: its ``run.json``.

    Raises:
        UserError: names the run and the step.
    """
    if step := description.get("diverged_at_step"):
        raise UserError(
            f"{run}: its training diverged at step {step:,}; lower the budget's learning_rate or "
            "give it warmup_steps"
        )
