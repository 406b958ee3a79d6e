"""Stage `tokenize-stories`: learn a tokenizer from many stories and encode them, as a stream.

The training stories are copied, and the copy is read twice: to count words, and to encode. What is
in memory is the words that occur, however long the file is.
"""

import argparse
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from tokenizers import Tokenizer

from rungs.corpus import tokenizer as bpe
from rungs.corpus.stories import MARKER, leading_stories
from rungs.corpus.tokenize import add_longest_window
from rungs.corpus.tokens import LARGEST_VOCABULARY, refuse_short_validation
from rungs.errors import UserError
from rungs.files import replacing, write_json, write_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the stage."""
    parser.add_argument("--stories", type=int, required=True, help="how many are trained on")
    parser.add_argument("--validation-stories", type=int, help="how many are held out; or all")
    parser.add_argument("--vocabulary", type=int, required=True, help="257 to 65,536 tokens")
    add_longest_window(parser)
    parser.add_argument("--train-text", type=Path, required=True, help="stories, UTF-8")
    parser.add_argument("--validation-text", type=Path, required=True, help="stories, UTF-8")
    parser.add_argument("--text", type=Path, required=True, help="output, the training stories")
    parser.add_argument("--tokenizer", type=Path, required=True, help="output, JSON")
    parser.add_argument("--train", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--validation", type=Path, required=True, help="output, .npy of uint16")
    parser.add_argument("--summary", type=Path, required=True, help="output, JSON")


@dataclass
class _Size:
    """What has been read of a file of stories."""

    stories: int = 0
    characters: int = 0
    bytes: int = 0
    tokens: int = 0


def run(arguments: argparse.Namespace) -> str:
    """Write the stories that are read, the tokenizer, both splits and the summary.

    Raises:
        UserError: a file is missing, not UTF-8 or has too few stories, or the vocabulary does not
            suit it; or no run could read the validation split.
    """
    if arguments.vocabulary > LARGEST_VOCABULARY:
        raise UserError(f"a vocabulary of {arguments.vocabulary} is above {LARGEST_VOCABULARY}")
    with replacing(arguments.text) as temporary:
        sha256 = copy(leading_stories(arguments.train_text, arguments.stories), temporary)
        copied = leading_stories(temporary)
        tokenizer = learn(copied, arguments.vocabulary, arguments.train_text)
    trained = encode(tokenizer, leading_stories(arguments.text), arguments.train)
    held_out = encode(
        tokenizer,
        leading_stories(arguments.validation_text, arguments.validation_stories),
        arguments.validation,
    )
    for path, size in ((arguments.train_text, trained), (arguments.validation_text, held_out)):
        if size.tokens < 2:
            raise UserError(f"{path}: holds no story that ends in {MARKER}; put such stories there")
    refuse_short_validation(arguments.validation, held_out.tokens, arguments.longest_window)
    write_text(arguments.tokenizer, tokenizer.to_str())
    characters = trained.characters + held_out.characters
    tokens = trained.tokens + held_out.tokens
    write_json(
        arguments.summary,
        {
            "characters": characters,
            "bytes": trained.bytes + held_out.bytes,
            "sha256": sha256,
            "vocabulary": arguments.vocabulary,
            "tokens": tokens,
            "characters_per_token": characters / tokens,
            "train_tokens": trained.tokens,
            "validation_tokens": held_out.tokens,
            "stories": trained.stories,
            "validation_stories": held_out.stories,
            "entropy_per_character_nats": None,
        },
    )
    return (
        f"{trained.stories:,} stories to train on, {held_out.stories:,} held out, "
        f"{tokens:,} tokens, {characters / tokens:.2f} characters per token"
    )


def copy(stories: Iterable[str], path: Path) -> str:
    """Write the stories, a marker after each, and return the SHA-256 of that text."""
    digest = hashlib.sha256()
    with path.open("wb") as output:
        for story in stories:
            content = f"{story}\n{MARKER}\n".encode()
            output.write(content)
            digest.update(content)
    return digest.hexdigest()


def learn(stories: Iterable[str], vocabulary: int, source: Path) -> Tokenizer:
    """Return a tokenizer of ``vocabulary`` entries, the last of which is the end-of-text marker.

    Raises:
        UserError: the stories cannot give so many.
    """
    try:
        tokenizer = bpe.train(stories, vocabulary - 1)
    except UserError as error:
        raise UserError(f"{source}: {error}, and one for the end-of-text marker") from error
    tokenizer.add_special_tokens([MARKER])
    return tokenizer


def encode(tokenizer: Tokenizer, stories: Iterable[str], path: Path) -> _Size:
    """Write the tokens of each story and a marker, one story after the other, as `.npy`."""
    marker = tokenizer.token_to_id(MARKER)
    size = _Size()
    with replacing(path) as temporary, temporary.open("wb") as output:
        npy.write_array_header_1_0(output, _header(0))
        begin = output.tell()
        for story in stories:
            ids = tokenizer.encode_batch_fast([story])[0].ids
            output.write(np.array([*ids, marker], dtype=np.uint16).tobytes())
            size.stories += 1
            size.characters += len(story)
            size.bytes += len(story.encode())
            size.tokens += len(ids) + 1
        output.seek(0)
        npy.write_array_header_1_0(output, _header(size.tokens))
        assert output.tell() == begin, "numpy leaves room in the header for a first axis that grows"
    return size


def _header(tokens: int) -> dict[str, object]:
    return {"descr": "<u2", "fortran_order": False, "shape": (tokens,)}
