"""Whether a split holds the windows that it is read in."""

import argparse

from rungs.corpus.tokens import load_tokens
from rungs.errors import UserError
from rungs.training.budget import Budget


def refuse_short_validation(arguments: argparse.Namespace) -> None:
    """Refuse to train or evaluate at a context length that the validation split does not fill.

    Its only window would be shorter, and a table would show it as if it were whole.

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
    if tokens <= max(lengths):
        raise UserError(
            f"{arguments.validation}: {tokens:,} tokens do not fill one window of {max(lengths)} "
            "and its next token; use a longer corpus, a larger validation_fraction or shorter "
            "context lengths"
        )
