import contextlib
import hashlib
import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.corpus import tokenize
from rungs.corpus.tokenizer import load
from rungs.corpus.tokens import load_tokens, refuse_short_validation, save_tokens
from rungs.errors import UserError


def arguments(folder: Path, content: bytes, vocabulary: int = 258) -> SimpleNamespace:
    text = folder / "text.txt"
    text.write_bytes(content)
    return arguments_for(text, folder / "outputs", vocabulary)


def arguments_for(text: Path, outputs: Path, vocabulary: int) -> SimpleNamespace:
    return SimpleNamespace(
        text=text, tokenizer=outputs / "tokenizer.json", train=outputs / "train.npy",
        validation=outputs / "validation.npy", summary=outputs / "summary.json",
        vocabulary=vocabulary, validation_fraction=Fraction("0.1"),
    )  # fmt: skip


@pytest.mark.real_data
def test_tiny_shakespeare(real_data: Path, tmp_path: Path) -> None:
    asked = arguments_for(real_data / "tinyshakespeare.txt", tmp_path, 1024)
    line = tokenize.run(**vars(asked))
    assert line.endswith("459,760 tokens, 2.43 characters per token")
    assert json.loads(asked.summary.read_text()) == {
        "characters": 1_115_394,
        "bytes": 1_115_394,
        "sha256": "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        "vocabulary": 1024,
        "tokens": 459_760,
        "characters_per_token": pytest.approx(2.4260353),
        "train_tokens": 413_784,
        "validation_tokens": 45_976,
        "entropy_per_character_nats": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "one line\r\nanother line\r\n" * 20,
        "\ufeffa byte order mark " * 20,
        "nul \0 and \x1b control \x7f characters " * 20,
        "שלום עולם، مرحبا بالعالم " * 20,
        "family 👨‍👩‍👧‍👦, flag 🇰🇷, skin 👍🏽 " * 20,
        "e\u0301 is not é " * 20,
        "a" * 500,
        "\n" * 500,
        "one very long line " * 20_000,
    ],
)
def test_odd_texts_come_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    asked = arguments(tmp_path, text.encode())
    tokenize.run(**vars(asked))
    tokens = [*load_tokens(asked.train), *load_tokens(asked.validation)]
    assert load(asked.tokenizer).decode([int(token) for token in tokens]) == text
    summary = json.loads(asked.summary.read_text())
    assert summary["characters"] == len(text)
    assert summary["bytes"] == len(text.encode())
    assert summary["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert summary["tokens"] == len(tokens)


@pytest.mark.parametrize(
    ("content", "vocabulary", "complaint"),
    [
        (b"", 258, "is empty"),
        ("café".encode("latin-1"), 258, "not UTF-8 at byte 3"),
        ("text".encode("utf-16"), 258, "not UTF-8 at byte 0"),
        (b"ab", 256, "fewer than two tokens"),
        (b"to be or not to be " * 9, 400, "the largest it can give is 265"),
    ],
)
def test_a_text_that_cannot_be_used_is_named_and_nothing_is_written(
    tmp_path: Path, content: bytes, vocabulary: int, complaint: str
) -> None:
    asked = arguments(tmp_path, content, vocabulary)
    with pytest.raises(UserError, match=complaint) as refusal:
        tokenize.run(**vars(asked))
    assert str(asked.text) in str(refusal.value)
    assert not asked.tokenizer.parent.exists()


def test_a_missing_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.txt: cannot be read"):
        tokenize.run(**vars(arguments_for(tmp_path / "absent.txt", tmp_path, 300)))


def test_ids_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="65536"):
        tokenize.run(**vars(arguments(tmp_path, b"text", 65_537)))


def test_entropy_of_a_generated_corpus_is_passed_on(tmp_path: Path) -> None:
    asked = arguments(tmp_path, b"a story. " * 50)
    asked.entropy = tmp_path / "entropy.json"
    asked.entropy.write_text('{"entropy_per_character_nats": 0.125, "possible_stories": 9}')
    tokenize.run(**vars(asked))
    assert json.loads(asked.summary.read_text())["entropy_per_character_nats"] == 0.125


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        asked = arguments(tmp_path / name, b"the same text, the same tokens\n" * 30, 270)
        tokenize.run(**vars(asked))
        contents.append([path.read_bytes() for path in sorted(asked.train.parent.iterdir())])
    assert len(contents[0]) == 4
    assert contents[0] == contents[1]


@given(st.integers(1, 99), st.integers(200, 10**12))
def test_split_is_exact(percent: int, tokens: int) -> None:
    size = tokenize.training_size(tokens, Fraction(f"{percent / 100}"))
    assert size == (100 - percent) * tokens // 100


def test_split_has_no_rounding_surprise() -> None:
    assert int((1 - 0.9) * 100) == 9  # what a float would have done
    assert tokenize.training_size(100, Fraction("0.9")) == 10


@pytest.mark.parametrize("fraction", ["0", "1", "-0.1", "1.5"])
def test_split_without_one_side_is_refused(fraction: str) -> None:
    with pytest.raises(UserError, match="fewer than two tokens"):
        tokenize.training_size(1000, Fraction(fraction))


@pytest.mark.parametrize(("window", "refused"), [(40, False), (41, True)])
def test_a_validation_split_that_no_run_could_read_is_refused(
    tmp_path: Path, window: int, refused: bool
) -> None:
    asked = arguments(tmp_path, b"a story. " * 58)
    asked.longest_window = window
    with (
        pytest.raises(UserError, match="tokens do not fill one window of 41 and")
        if refused
        else (contextlib.nullcontext())
    ):
        tokenize.run(**vars(asked))
    assert asked.summary.exists() != refused


def test_each_quarter_of_the_validation_split_has_a_prediction(tmp_path: Path) -> None:
    refuse_short_validation(tmp_path, 5, 2)
    with pytest.raises(UserError, match="4 tokens do not fill four quarters with a prediction"):
        refuse_short_validation(tmp_path, 4, 2)


def test_tokens_are_read_from_disk_as_they_are_used(tmp_path: Path) -> None:
    saved = np.arange(1000, dtype=np.uint16)
    save_tokens(tmp_path / "tokens.npy", saved)
    loaded = load_tokens(tmp_path / "tokens.npy")
    assert isinstance(loaded, np.memmap)
    np.testing.assert_array_equal(loaded, saved)


def damaged(folder: Path, damage: str) -> Path:
    path = folder / "train.npy"
    save_tokens(path, np.arange(1000, dtype=np.uint16))
    if damage == "cut short":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("tokens")
    elif damage == "pickle":
        np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    elif damage == "int64":
        np.save(path, np.arange(9))
    elif damage == "table":
        np.save(path, np.zeros((3, 3), dtype=np.uint16))
    elif damage == "archive":
        with path.open("wb") as archive:
            np.savez(archive, np.arange(9, dtype=np.uint16))
    elif damage == "missing":
        path.unlink()
    return path


@pytest.mark.parametrize(
    "damage", ["cut short", "empty", "text", "pickle", "int64", "table", "archive", "missing"]
)
def test_damaged_tokens_are_named(tmp_path: Path, damage: str) -> None:
    with pytest.raises(UserError, match=r"train\.npy: .*; delete it and run again"):
        load_tokens(damaged(tmp_path, damage))


@pytest.mark.filterwarnings("ignore:Reading `.npy`")  # numpy's second try at a header
def test_any_flipped_bit_of_a_header_is_named_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "train.npy"
    save_tokens(path, np.arange(5, dtype=np.uint16))
    whole = path.read_bytes()
    refused = []
    for bit in range(8 * (len(whole) - 10)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            loaded = load_tokens(path)
        except UserError as error:
            refused.append(str(error))
        else:
            assert loaded.dtype == np.uint16
            assert loaded.ndim == 1
    assert len(refused) > 900
    assert all("train.npy: " in message for message in refused)


def test_an_entropy_that_is_no_object_is_refused(tmp_path: Path) -> None:
    asked = arguments(tmp_path, b"Ann saw a dog. " * 400)
    asked.entropy = tmp_path / "entropy.json"
    asked.entropy.write_text("null")
    with pytest.raises(UserError, match=r"entropy\.json: is damaged, no JSON object"):
        tokenize.run(**vars(asked))
