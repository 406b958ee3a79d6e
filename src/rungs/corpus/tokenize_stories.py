"""Stage `tokenize-stories`: learn a tokenizer from many stories and encode them, as a stream.

The training stories are copied, and the copy is read twice: to count words, and to encode. What is
in memory is the words that occur, however long the file is.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.lib import format as npy
from tokenizers import Tokenizer

from rungs.corpus import tokenizer as bpe
from rungs.corpus.stories import MARKER, leading_stories
from rungs.corpus.tokenize import LongestWindow
from rungs.corpus.tokens import LARGEST_VOCABULARY, refuse_short_validation
from rungs.errors import UserError
from rungs.files import replacing, write_json, write_text


@dataclass
class _Size:
    """What has been read of a file of stories."""

    stories: int = 0
    characters: int = 0
    bytes: int = 0
    tokens: int = 0


def run(
    *,
    stories: Annotated[int, "how many are trained on"],
    validation_stories: Annotated[int | None, "how many are held out; or all"] = None,
    vocabulary: Annotated[int, "257 to 65,536 tokens"],
    longest_window: LongestWindow = 1,
    train_text: Annotated[Path, "stories, UTF-8"],
    validation_text: Annotated[Path, "stories, UTF-8"],
    text: Annotated[Path, "output, the training stories"],
    tokenizer: Annotated[Path, "output, JSON"],
    train: Annotated[Path, "output, .npy of uint16"],
    validation: Annotated[Path, "output, .npy of uint16"],
    summary: Annotated[Path, "output, JSON"],
) -> str:
    """Write the stories that are read, the tokenizer, both splits and the summary.

    Raises:
        UserError: a file is missing, not UTF-8 or has too few stories, or the vocabulary does not
            suit it; or no run could read the validation split.
    """
    if vocabulary > LARGEST_VOCABULARY:
        raise UserError(f"a vocabulary of {vocabulary} is above {LARGEST_VOCABULARY}")
    with replacing(text) as temporary:
        sha256 = copy(leading_stories(train_text, stories), temporary)
        copied = leading_stories(temporary)
        learned = learn(copied, vocabulary, train_text)
    trained = encode(learned, leading_stories(text), train)
    held_out = encode(learned, leading_stories(validation_text, validation_stories), validation)
    for path, size in ((train_text, trained), (validation_text, held_out)):
        if size.tokens < 2:
            raise UserError(f"{path}: holds no story that ends in {MARKER}; put such stories there")
    refuse_short_validation(validation, held_out.tokens, longest_window)
    write_text(tokenizer, learned.to_str())
    characters = trained.characters + held_out.characters
    tokens = trained.tokens + held_out.tokens
    write_json(
        summary,
        {
            "characters": characters,
            "bytes": trained.bytes + held_out.bytes,
            "sha256": sha256,
            "vocabulary": vocabulary,
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
