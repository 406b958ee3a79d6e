"""Whether the tokens are those that a stage can read: enough of them, and of the vocabulary."""

import argparse

from rungs.corpus.tokens import load_tokens, refuse_short_validation
from rungs.errors import UserError
from rungs.files import read_json
from rungs.reading import reading
from rungs.training.budget import Budget


def refuse_unreadable_tokens(arguments: argparse.Namespace) -> None:
    """Refuse tokens of another vocabulary, and context lengths that the validation does not fill.

    Args:
        arguments: of the stage ``train``, with a budget, or ``evaluate``, with context lengths.

    Raises:
        UserError: names the split, its tokens and the length, or the token.
    """
    if arguments.stage == "train":
        with reading(arguments.corpus):
            vocabulary = int(read_json(arguments.corpus)["vocabulary"])
        for path in (arguments.train, arguments.validation):
            if (largest := int(load_tokens(path).max(initial=0))) >= vocabulary:
                raise UserError(
                    f"{path}: has a token {largest:,}, and {arguments.corpus} has only "
                    f"{vocabulary:,}: damaged, or of another corpus; delete both and run again"
                )
        lengths = [Budget.model_validate_json(arguments.budget).context_length]
    else:
        lengths = arguments.context_lengths
    tokens = len(load_tokens(arguments.validation))
    refuse_short_validation(arguments.validation, tokens, max(lengths))
