"""Whether the validation split holds the windows that a stage reads it in."""

import argparse

from rungs.corpus.tokens import load_tokens, refuse_short_validation
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
