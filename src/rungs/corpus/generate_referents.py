"""Stage `generate-referents`: every sentence of the referent language, one token a word."""

import argparse
import hashlib
from fractions import Fraction
from pathlib import Path
from typing import get_args

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from rungs.corpus.referents import VOCABULARY, WORDS, Version, sentences, split
from rungs.corpus.tokens import save_tokens
from rungs.files import write_json, write_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the stage."""
    parser.add_argument("--version", choices=get_args(Version), required=True)
    parser.add_argument(
        "--validation-fraction",
        type=Fraction,  # exact: 0.1 as a float is a little more than a tenth
        required=True,
        help="share of the ordered pairs of nouns that is held out",
    )
    parser.add_argument("--seed", type=int, required=True, help="decides which pairs")
    parser.add_argument("--text", type=Path, required=True, help="output, one sentence a line")
    parser.add_argument("--tokenizer", type=Path, required=True, help="output, JSON")
    parser.add_argument("--train", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--validation", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--summary", type=Path, required=True, help="output, JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write all sentences, the trained ones first, their tokens and their summary.

    Raises:
        UserError: more pairs are asked to be held out than can be.
    """
    version, fraction = arguments.version, arguments.validation_fraction
    trained, held_out = (sentences(part) for part in split(version, fraction, arguments.seed))
    text = "".join(f"{sentence}\n" for sentence in (*trained, *held_out))
    tokenizer = word_tokenizer()
    tokens = np.array(tokenizer.encode(text).ids, dtype=np.uint16)
    boundary = len(trained) * len(WORDS)

    write_text(arguments.text, text)
    write_text(arguments.tokenizer, tokenizer.to_str())
    # With the word after it, the last sentence is a whole training window like the others.
    save_tokens(arguments.train, tokens[: boundary + 1])
    save_tokens(arguments.validation, tokens[boundary:])
    write_json(
        arguments.summary,
        {
            "characters": len(text),
            "bytes": len(text.encode()),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "vocabulary": len(VOCABULARY),
            "tokens": len(tokens),
            "characters_per_token": len(text) / len(tokens),
            "train_tokens": boundary,
            "validation_tokens": len(tokens) - boundary,
            "entropy_per_character_nats": None,
        },
    )
    return f"{len(trained):,} sentences to train on, {len(held_out):,} held out"


def word_tokenizer() -> Tokenizer:
    """Return a tokenizer whose tokens are the words of the language, in their order there."""
    ids = {word: number for number, word in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(ids))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer
