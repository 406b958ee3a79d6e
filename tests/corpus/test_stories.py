import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rungs.cli import main
from rungs.corpus import measures, tokenize_stories
from rungs.corpus.generated import draw
from rungs.corpus.stories import LONGEST_STORY, MARKER, leading_stories
from rungs.corpus.tokenizer import load, token_bytes
from rungs.corpus.tokens import load_tokens
from rungs.errors import UserError
from rungs.files import read_json

STORIES = ["Once upon a time.\n\nThe end.", "Lily saw a café — “nice”.", "Tom ran. 🐈 Tom ran."]


def write(path: Path, stories: list[str]) -> Path:
    path.write_bytes("".join(f"{story}\n{MARKER}\n" for story in stories).encode())
    return path


def prepare(
    folder: Path, stories: int = 43, validation_stories: int = 10, vocabulary: int = 300
) -> SimpleNamespace:
    arguments = SimpleNamespace(
        stories=stories,
        validation_stories=validation_stories,
        vocabulary=vocabulary,
        longest_window=1,
        train_text=write(folder / "train.txt", draw(40, 0).splitlines() + STORIES),
        validation_text=write(
            folder / "validation.txt", draw(7, 1).splitlines() + STORIES + ["not read"]
        ),
        **{name: folder / name for name in ("text", "tokenizer", "summary")},
        train=folder / "train.npy",
        validation=folder / "validation.npy",
    )
    tokenize_stories.run(**vars(arguments))
    return arguments


def test_the_first_stories_and_no_more_of_the_file_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "stories.txt", STORIES)
    with path.open("ab") as file:
        file.write(b"x" * 2**21 + b"\xff")  # would be refused, and is never reached
    assert list(leading_stories(path, 2)) == STORIES[:2]
    with pytest.raises(UserError, match="not UTF-8"):
        list(leading_stories(path))


def test_a_story_across_two_blocks_is_one(tmp_path: Path) -> None:
    stories = ["a" * 700_000, "b" * (2**20 - 700_000 - len(MARKER) // 2), "é" * 900_000]
    assert list(leading_stories(write(tmp_path / "stories.txt", stories))) == stories


def test_white_space_between_stories_and_empty_ones(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text(f"\n\n one \n{MARKER}\n{MARKER} \ntwo\n\nparts{MARKER}  \n\n{MARKER}\n")
    assert list(leading_stories(path)) == ["one", "two\n\nparts"]


def test_a_story_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text(f"one\n{MARKER}\ntwo\n{MARKER}\nOnce upon a ti")
    assert list(leading_stories(path)) == ["one", "two"]
    with pytest.raises(UserError, match="has 2 stories, and 3 are asked for"):
        list(leading_stories(path, 3))


def test_a_byte_order_mark_and_windows_newlines_are_no_part_of_a_story(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_bytes(f"\ufeffone\r\n{MARKER}\r\ntwo\r\n{MARKER}\r\n".encode())
    assert list(leading_stories(path)) == ["one", "two"]


def test_a_file_without_markers_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("a" * (LONGEST_STORY + 2**21))
    with pytest.raises(UserError, match=r"has no <\|endoftext\|> in"):
        list(leading_stories(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for count in (8_000, 40_000):
        path = write(tmp_path / f"{count}.txt", ["One day a cat sat on a mat. " * 20] * count)
        tracemalloc.start()
        assert sum(1 for _ in leading_stories(path)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert path.stat().st_size > 2e7
    assert peaks[1] < peaks[0] * 1.2 < 2e7


def test_tokens_are_the_stories_and_a_marker_after_each(tmp_path: Path) -> None:
    arguments = prepare(tmp_path)
    tokenizer, tokens = load(arguments.tokenizer), load_tokens(arguments.train)
    marker = tokenizer.token_to_id(MARKER)
    assert marker == 299 == tokenizer.get_vocab_size() - 1
    ends = np.flatnonzero(tokens == marker)
    parts = np.split(tokens, ends + 1)
    assert not len(parts.pop())
    texts = [tokenizer.decode(part[:-1].tolist()) for part in parts]
    assert texts == list(leading_stories(arguments.train_text))
    assert arguments.text.read_bytes() == arguments.train_text.read_bytes()


def test_the_summary_counts_what_was_read(tmp_path: Path) -> None:
    summary = read_json(prepare(tmp_path, stories=5).summary)
    trained = list(leading_stories(tmp_path / "train.txt", 5))
    held_out = list(leading_stories(tmp_path / "validation.txt", 10))
    assert (summary["stories"], summary["validation_stories"]) == (5, 10)
    assert summary["characters"] == sum(map(len, trained + held_out))
    assert summary["bytes"] == sum(len(story.encode()) for story in trained + held_out)
    assert summary["train_tokens"] == len(load_tokens(tmp_path / "train.npy"))
    assert summary["validation_tokens"] == len(load_tokens(tmp_path / "validation.npy"))
    assert list(leading_stories(tmp_path / "text")) == trained


def test_the_bytes_of_the_scored_tokens_are_those_of_the_text(tmp_path: Path) -> None:
    arguments = prepare(tmp_path)
    output = tmp_path / "measures.json"
    measures.run(tokenizer=arguments.tokenizer, validation=arguments.validation, output=output)
    found = read_json(output)
    text = "".join(leading_stories(arguments.validation_text, 10)).encode()
    first = token_bytes(load(arguments.tokenizer))[load_tokens(arguments.validation)[0]]
    assert text.startswith(first)
    assert found["scored_bytes"] == len(text) - len(first)
    assert found["scored_tokens"] == len(load_tokens(arguments.validation)) - 1
    pieces = found["sentence_pieces"].split(" | ")
    assert "".join(pieces).replace("\N{OPEN BOX}", " ") == measures.SENTENCE
    assert len(pieces) == found["sentence_tokens"]


def test_a_vocabulary_the_stories_cannot_give_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"train\.txt: a vocabulary of .* end-of-text marker"):
        prepare(tmp_path, vocabulary=60_000)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"stories": 44}, r"train\.txt: has 43 stories, and 44 are asked for; lower stories"),
        ({"validation_stories": 12}, r"validation\.txt: has 11 stories, and 12 are asked for"),
    ],
)
def test_fewer_stories_than_are_asked_for_are_refused(
    asked: dict[str, int], says: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=f"^{tmp_path}/{says}"):
        prepare(tmp_path, **asked)
    assert not (tmp_path / "summary").exists()


def test_what_is_wrong_with_the_file_is_not_said_of_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    arguments = prepare(tmp_path)
    arguments.train_text = tmp_path / "bad.txt"
    with pytest.raises(UserError, match=r"bad\.txt: is not UTF-8; convert it$"):
        tokenize_stories.run(**vars(arguments))


@pytest.mark.real_data
def test_the_real_opening_is_cut_as_the_chapter_says(real_data: Path, tmp_path: Path) -> None:
    """The head is the opening of the training split."""
    text = (real_data / "tinystories-train-head.txt").read_text()
    tokenizer = tokenize_stories.learn([text], 1024, tmp_path)
    assert len(tokenizer.encode(measures.SENTENCE).ids) == 11


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "stories"),
    [
        ("tinystories-train-head.txt", 2_316),
        ("tinystories-mix-train.txt", 25_660),
        ("tinystories-mix-validation.txt", 1_910),
    ],
)
def test_real_files_have_their_stories_and_none_that_is_cut_off(
    real_data: Path, name: str, stories: int
) -> None:
    if not (real_data / name).exists():
        pytest.skip(f"no {name} in {real_data}")
    found = list(leading_stories(real_data / name))
    assert len(found) == stories
    assert not [story for story in found if story != story.strip() or "<|" in story]


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "stories"),
    [("tinystories-train-head.txt", 2_316), ("tinystories-mix-train.txt", 25_660)],
)
def test_real_files_are_tokenized_and_measured_to_the_byte(
    real_data: Path, tmp_path: Path, name: str, stories: int
) -> None:
    held_out = real_data / "tinystories-mix-validation.txt"
    if not (real_data / name).exists() or not held_out.exists():
        pytest.skip(f"no {name} or {held_out.name} in {real_data}")
    written = {
        word: tmp_path / f"{word}.out" for word in ("text", "tokenizer", "train", "validation")
    }
    options = [part for word, path in written.items() for part in (f"--{word}", str(path))]
    tokenize = ["tokenize-stories", "--stories", str(stories), "--vocabulary", "1024", *options]
    tokenize += ["--train-text", str(real_data / name), "--validation-text", str(held_out)]
    tokenize += ["--longest-window", "256", "--summary", str(tmp_path / "summary.json")]
    assert main(tokenize) == 0
    output = tmp_path / "measures.json"
    measure = ["measure-text", "--tokenizer", str(written["tokenizer"]), "--output", str(output)]
    assert main([*measure, "--validation", str(written["validation"])]) == 0

    tokenizer = load(written["tokenizer"])
    spelled = token_bytes(tokenizer)
    tokens = load_tokens(written["train"])
    text = b"".join(map(spelled.__getitem__, tokens))
    assert text == "".join(leading_stories(real_data / name)).encode()
    assert np.count_nonzero(tokens == tokenizer.token_to_id(MARKER)) == stories
    total = sum(len(story.encode()) for story in leading_stories(held_out))
    first = spelled[load_tokens(written["validation"])[0]]
    assert read_json(output)["scored_bytes"] == total - len(first)
