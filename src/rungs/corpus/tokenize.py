"""Stage `tokenize`: learn a tokenizer from a text, encode the text, split it."""

import argparse
import hashlib
import math
from fractions import Fraction
from pathlib import Path

from rungs.corpus import tokenizer as bpe
from rungs.corpus.tokens import LARGEST_VOCABULARY, refuse_short_validation, save_tokens
from rungs.errors import UserError
from rungs.files import read_json, write_json, write_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the stage."""
    parser.add_argument("--text", type=Path, required=True, help="UTF-8 text")
    parser.add_argument("--vocabulary", type=int, required=True, help="256 to 65,536 tokens")
    parser.add_argument(
        "--validation-fraction",
        type=Fraction,  # exact: 0.1 as a float is a little more than a tenth
        required=True,
        help="share of the tokens, at the end of the text, that is held out",
    )
    add_longest_window(parser)
    parser.add_argument("--entropy", type=Path, help="entropy.json of a generated corpus")
    parser.add_argument("--tokenizer", type=Path, required=True, help="output, JSON")
    parser.add_argument("--train", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--validation", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--summary", type=Path, required=True, help="output, JSON")


def add_longest_window(parser: argparse.ArgumentParser) -> None:
    """Add the argument of a guard: what it says changes no output."""
    parser.add_argument(
        "--longest-window", type=int, default=1, help="tokens that runs read of it at once"
    )


def run(arguments: argparse.Namespace) -> str:
    """Write the tokenizer, both splits and the summary of a corpus.

    Raises:
        UserError: the text is missing, empty, not UTF-8 or too short, or the vocabulary does not
            suit it; or no run could read the validation split.
    """
    if arguments.vocabulary > LARGEST_VOCABULARY:
        raise UserError(f"a vocabulary of {arguments.vocabulary} is above {LARGEST_VOCABULARY}")
    content, text = read_text(arguments.text)
    try:
        tokenizer = bpe.train(bpe.pieces(text), arguments.vocabulary)
        tokens = bpe.encode(tokenizer, bpe.pieces(text))
        train_tokens = training_size(len(tokens), arguments.validation_fraction)
    except UserError as error:
        raise UserError(f"{arguments.text}: {error}") from error

    refuse_short_validation(
        arguments.validation, len(tokens) - train_tokens, arguments.longest_window
    )
    write_text(arguments.tokenizer, tokenizer.to_str())
    save_tokens(arguments.train, tokens[:train_tokens])
    save_tokens(arguments.validation, tokens[train_tokens:])
    entropy = read_json(arguments.entropy) if arguments.entropy else {}
    characters_per_token = len(text) / len(tokens)
    write_json(
        arguments.summary,
        {
            "characters": len(text),
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "vocabulary": arguments.vocabulary,
            "tokens": len(tokens),
            "characters_per_token": characters_per_token,
            "train_tokens": train_tokens,
            "validation_tokens": len(tokens) - train_tokens,
            "entropy_per_character_nats": entropy.get("entropy_per_character_nats"),
        },
    )
    return (
        f"{arguments.text}: {len(tokens):,} tokens, {characters_per_token:.2f} characters per token"
    )


def read_text(path: Path) -> tuple[bytes, str]:
    """Return the content of a file as bytes and as text, with the newlines it has.

    Raises:
        UserError: the file is missing, empty or not UTF-8.
    """
    try:
        content = path.read_bytes()
        text = content.decode()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8 at byte {error.start:,}; convert it") from error
    if not text:
        raise UserError(f"{path}: is empty; put a text there")
    return content, text


def training_size(tokens: int, validation_fraction: Fraction) -> int:
    """Return how many of ``tokens`` are for training: (1 - fraction) of them, rounded down.

    Raises:
        UserError: a split would have fewer than two tokens, one to read and one to predict.
    """
    size = math.floor((1 - validation_fraction) * tokens)
    if min(size, tokens - size) < 2:
        raise UserError(
            f"validation fraction {validation_fraction} of {tokens:,} tokens leaves a split with "
            "fewer than two tokens; take a longer text or another fraction"
        )
    return size
