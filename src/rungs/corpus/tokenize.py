"""Stage `tokenize`: learn a tokenizer from a text, encode the text, split it."""

import hashlib
import math
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from rungs.corpus import tokenizer as bpe
from rungs.corpus.tokens import LARGEST_VOCABULARY, refuse_short_validation, save_tokens
from rungs.errors import UserError
from rungs.files import write_json, write_text
from rungs.reading import read_object

LongestWindow = Annotated[int, "tokens that runs read of it at once"]
"""Of a guard: what it says changes no output."""


def run(
    *,
    text: Annotated[Path, "UTF-8 text"],
    vocabulary: Annotated[int, "256 to 65,536 tokens"],
    # Exact: 0.1 as a float is a little more than a tenth.
    validation_fraction: Annotated[
        Fraction, "share of the tokens, at the end of the text, that is held out"
    ],
    longest_window: LongestWindow = 1,
    entropy: Annotated[Path | None, "entropy.json of a generated corpus"] = None,
    tokenizer: Annotated[Path, "output, JSON"],
    train: Annotated[Path, "output, .npy of uint16"],
    validation: Annotated[Path, "output, .npy of uint16"],
    summary: Annotated[Path, "output, JSON"],
) -> str:
    """Write the tokenizer, both splits and the summary of a corpus.

    Raises:
        UserError: the text is missing, empty, not UTF-8 or too short, or the vocabulary does not
            suit it; or no run could read the validation split.
    """
    if vocabulary > LARGEST_VOCABULARY:
        raise UserError(f"a vocabulary of {vocabulary} is above {LARGEST_VOCABULARY}")
    content, decoded = read_text(text)
    try:
        learned = bpe.train(bpe.pieces(decoded), vocabulary)
        tokens = bpe.encode(learned, bpe.pieces(decoded))
        train_tokens = training_size(len(tokens), validation_fraction)
    except UserError as error:
        raise UserError(f"{text}: {error}") from error

    refuse_short_validation(validation, len(tokens) - train_tokens, longest_window)
    write_text(tokenizer, learned.to_str())
    save_tokens(train, tokens[:train_tokens])
    save_tokens(validation, tokens[train_tokens:])
    known = read_object(entropy) if entropy else {}
    characters_per_token = len(decoded) / len(tokens)
    write_json(
        summary,
        {
            "characters": len(decoded),
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "vocabulary": vocabulary,
            "tokens": len(tokens),
            "characters_per_token": characters_per_token,
            "train_tokens": train_tokens,
            "validation_tokens": len(tokens) - train_tokens,
            "entropy_per_character_nats": known.get("entropy_per_character_nats"),
        },
    )
    return f"{text}: {len(tokens):,} tokens, {characters_per_token:.2f} characters per token"


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
