"""Stage `measure-text`: how many bytes of text the scored tokens are, and one sentence's tokens.

Bits per byte compares models whose tokens differ, because a text has its bytes whatever it is cut
into. The first token of a split has no predecessor and is not scored, so that its bytes do not
count; an end-of-text marker is scored, and is no text.
"""

import argparse
from pathlib import Path

import numpy as np

from rungs.corpus.tokenizer import load, token_bytes
from rungs.corpus.tokens import load_tokens
from rungs.errors import UserError
from rungs.files import write_json

BLANK = "\N{OPEN BOX}"
"""What a leading blank of a token is shown as, as the chapter prints it."""
SENTENCE = "Once upon a time there was a girl named Lily."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the stage."""
    parser.add_argument("--tokenizer", type=Path, required=True, help="of the corpus, JSON")
    parser.add_argument("--validation", type=Path, required=True, help="validation tokens, .npy")
    parser.add_argument("--output", type=Path, required=True, help="JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write the bytes of the validation text, and how the chapter's sentence is cut.

    Raises:
        UserError: a file cannot be read, or the corpus is not of text.
    """
    tokenizer = load(arguments.tokenizer)
    try:
        spelled = token_bytes(tokenizer)
    except UserError as error:
        raise UserError(f"{arguments.tokenizer}: {error}") from error
    lengths = np.array([len(token) for token in spelled])
    scored = load_tokens(arguments.validation)[1:]
    total = int(lengths[scored].sum())
    sentence = tokenizer.encode(SENTENCE).ids
    pieces = [spelled[number].decode(errors="replace").replace(" ", BLANK) for number in sentence]
    write_json(
        arguments.output,
        {
            "scored_tokens": len(scored),
            "scored_bytes": total,
            "sentence": SENTENCE,
            "sentence_tokens": len(sentence),
            "sentence_pieces": " | ".join(pieces),
        },
    )
    return f"{total:,} bytes in {len(scored):,} scored tokens; the sentence has {len(sentence)}"
