"""Stage `generate-referents`: every sentence of the referent language, one token a word."""

import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from rungs.corpus.referents import VOCABULARY, WORDS, Version, sentences, split
from rungs.corpus.tokens import save_tokens
from rungs.files import write_json, write_text


def run(
    *,
    version: Version,
    # Exact: 0.1 as a float is a little more than a tenth.
    validation_fraction: Annotated[
        Fraction, "share of the ordered pairs of nouns that is held out"
    ],
    seed: Annotated[int, "decides which pairs"],
    text: Annotated[Path, "output, one sentence a line"],
    tokenizer: Annotated[Path, "output, JSON"],
    train: Annotated[Path, "output, .npy of uint16"],
    validation: Annotated[Path, "output, .npy of uint16"],
    summary: Annotated[Path, "output, JSON"],
) -> str:
    """Write all sentences, the trained ones first, their tokens and their summary.

    Raises:
        UserError: more pairs are asked to be held out than can be.
    """
    trained, held_out = (sentences(part) for part in split(version, validation_fraction, seed))
    written = "".join(f"{sentence}\n" for sentence in (*trained, *held_out))
    words = word_tokenizer()
    tokens = np.array(words.encode(written).ids, dtype=np.uint16)
    boundary = len(trained) * len(WORDS)

    write_text(text, written)
    write_text(tokenizer, words.to_str())
    # With the word after it, the last sentence is a whole training window like the others.
    save_tokens(train, tokens[: boundary + 1])
    save_tokens(validation, tokens[boundary:])
    write_json(
        summary,
        {
            "characters": len(written),
            "bytes": len(written.encode()),
            "sha256": hashlib.sha256(written.encode()).hexdigest(),
            "vocabulary": len(VOCABULARY),
            "tokens": len(tokens),
            "characters_per_token": len(written) / len(tokens),
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
