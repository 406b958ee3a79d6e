import hashlib
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from rungs.corpus import tokenizer as bpe
from rungs.corpus.stories import MARKER, leading_stories
from rungs.errors import UserError

SENTENCE = (
    "the thin thief thought that they'd then thank the other thirty-three.\n  Then: nothing.\n"
)


def library_merges(texts: list[str], vocabulary: int) -> list[tuple[str, str]]:
    """Return what the trainer of `tokenizers` learns from the same words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=vocabulary,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return merges_of(tokenizer)


def merges_of(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    return [tuple(merge) for merge in json.loads(tokenizer.to_str())["model"]["merges"]]


def recounting_merges(
    words: dict[bytes, int], steps: int
) -> tuple[list[tuple[bytes, bytes]], list[bool], dict[bytes, list[bytes]]]:
    """Learn merges by counting all pairs anew at every step.

    Returns the merges, whether each was one of several equally frequent pairs, and how the words
    are spelled in the end.
    """
    ids = {bytes([byte]): byte for byte in range(256)}
    spellings = {word: [bytes([byte]) for byte in word] for word in words}
    merges, tied = [], []
    for _ in range(steps):
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for word, spelling in spellings.items():
            for pair in itertools.pairwise(spelling):
                counts[pair] += words[word]
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], ids[pair[0]], ids[pair[1]]))
        merges.append(best)
        tied.append(list(counts.values()).count(counts[best]) > 1)
        ids.setdefault(b"".join(best), len(ids))
        for word, spelling in spellings.items():
            spellings[word] = spelling_after(spelling, best)
    return merges, tied, spellings


def spelling_after(spelling: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    if len(spelling) < 2:
        return spelling
    if tuple(spelling[:2]) == pair:
        return [b"".join(pair), *spelling_after(spelling[2:], pair)]
    return [spelling[0], *spelling_after(spelling[1:], pair)]


def largest_vocabulary(text: str) -> int:
    with pytest.raises(UserError, match="the largest it can give is") as refusal:
        bpe.train([text], 65_536)
    return int(re.findall(r"\d+", str(refusal.value))[-1])


@pytest.mark.real_data
def test_tiny_shakespeare_is_the_chapters_459_760_tokens(real_data: Path) -> None:
    text = (real_data / "tinyshakespeare.txt").read_bytes().decode()
    tokenizer = bpe.train(bpe.pieces(text), 1024)
    tokens = bpe.encode(tokenizer, bpe.pieces(text))
    assert len(tokens) == 459_760
    assert tokens.tolist() == tokenizer.encode(text).ids  # the pieces are one sequence
    assert tokenizer.decode(tokens.tolist()) == text


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "vocabulary", "sha256"),
    [
        (
            "tinyshakespeare.txt",
            1024,
            "d11a70066c18639d945e525207eb88e532970926a298d4cab0bc53407798d91e",
        ),
        (
            "tinystories-mix-train.txt",
            1023,  # and the end-of-text marker
            "51152bba0658e29d2b67aec9425894ab86d4ed48cb1133b1ad6fa0575d11260a",
        ),
    ],
)
def test_the_tokenizers_of_real_corpora_are_to_the_byte_what_they_were(
    real_data: Path, name: str, vocabulary: int, sha256: str
) -> None:
    path = real_data / name
    if not path.exists():
        pytest.skip(f"no {name} in {real_data}")
    if name == "tinyshakespeare.txt":
        tokenizer = bpe.train(bpe.pieces(path.read_bytes().decode()), vocabulary)
    else:
        tokenizer = bpe.train(leading_stories(path), vocabulary)
        tokenizer.add_special_tokens([MARKER])
    assert hashlib.sha256(tokenizer.to_str().encode()).hexdigest() == sha256


@pytest.mark.real_data
def test_the_two_trainers_part_at_a_tie_on_tiny_shakespeare(real_data: Path) -> None:
    text = (real_data / "tinyshakespeare.txt").read_bytes().decode()
    ours = merges_of(bpe.train([text], 1024))
    theirs = library_merges([text], 1024)
    first = next(index for index, pair in enumerate(ours) if pair != theirs[index])
    shared = bpe.train([text], 256 + first)
    assert merges_of(shared) == theirs[:first]
    counts: Counter[tuple[str, str]] = Counter()
    words = Counter(word for word, _ in shared.pre_tokenizer.pre_tokenize_str(text))
    for word, count in words.items():
        for pair in itertools.pairwise(token.value for token in shared.model.tokenize(word)):
            counts[pair] += count
    assert counts[ours[first]] == counts[theirs[first]] == max(counts.values())


@given(st.lists(st.text("abc' ", max_size=20), min_size=1, max_size=8), st.integers(1, 12))
def test_merges_are_those_of_recounting_and_of_the_library_up_to_ties(
    texts: list[str], steps: int
) -> None:
    words = bpe.count_words(texts)
    expected, tied, spellings = recounting_merges(words, steps)
    tokens = 256 + len({b"".join(merge) for merge in expected})
    _, merges = bpe.learn_merges(words, tokens)
    assert merges == expected[: len(merges)]

    tokenizer = bpe.train(texts, tokens)
    if len(merges) == len(expected):
        for word, spelling in spellings.items():
            assert len(tokenizer.encode(word.decode()).ids) == len(spelling)
    untied = tied.index(True) if True in tied else len(merges)
    assert library_merges(texts, tokens)[:untied] == merges_of(tokenizer)[:untied]


@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=60).map(str.encode), st.integers(1, 3)),
    st.integers(1, 30),
)
def test_merges_of_long_words_with_overlapping_pairs_are_those_of_recounting(
    words: dict[bytes, int], steps: int
) -> None:
    expected, _, _ = recounting_merges(words, steps)
    tokens = 256 + len({b"".join(merge) for merge in expected})
    _, merges = bpe.learn_merges(words, tokens)
    assert merges == expected[: len(merges)]


def test_the_places_of_a_word_are_not_visited_once_for_each_of_its_pairs() -> None:
    assert largest_vocabulary(" " * 200_000) == 278  # for hours, if they were


def test_merges_are_the_librarys_where_there_are_no_ties() -> None:
    words = {b"ab": 100, b"abc": 40, b"abcd": 15, b"ef": 70, b"efg": 9}
    text = "".join(f"{word.decode()}1" * count for word, count in words.items())
    size = largest_vocabulary(text)
    _, tied, _ = recounting_merges(words, size - 256)
    assert tied == [False] * 5
    assert merges_of(bpe.train([text], size)) == library_merges([text], size)


def test_of_equally_frequent_pairs_the_one_with_the_larger_ids_is_merged() -> None:
    tokens, _ = bpe.learn_merges({b"ab": 5, b"ac": 5, b"ca": 5, b"cb": 4}, 259)
    assert tokens[256:] == [b"ca", b"ac", b"ab"]


def test_words_are_those_of_gpt_2() -> None:
    assert list(bpe.count_words(["It's 12 o'clock,  they'll\tsay...\n\nNaïve"])) == [
        word.encode()
        for word in (
            *("It", "'s", " 12", " o", "'", "clock", ",", " ", " they", "'ll"),
            *("\t", "say", "...", "\n", "Naïve"),
        )
    ]


def test_ids_are_the_bytes_and_then_the_merges() -> None:
    tokenizer = bpe.train([SENTENCE], 260)
    assert bpe.encode(tokenizer, ["é\n!"]).tolist() == [*"é\n!".encode()]
    tokens, merges = bpe.learn_merges(bpe.count_words([SENTENCE]), 260)
    assert tokens[256:] == [left + right for left, right in merges]
    assert [tokenizer.decode([number]) for number in range(256, 260)] == [
        token.decode() for token in tokens[256:]
    ]


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    tokenizer = bpe.train([SENTENCE], 280)
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@given(st.text(min_size=2, max_size=60).filter(lambda text: len(text.encode()) > 1))
def test_the_largest_vocabulary_is_the_one_the_error_names(text: str) -> None:
    size = largest_vocabulary(text)
    tokenizer = bpe.train([text], size)
    assert tokenizer.get_vocab_size() == size
    tokens = bpe.encode(tokenizer, [text])
    assert tokenizer.decode(tokens.tolist()) == text
    assert len(tokens) == sum(bpe.count_words([text]).values())  # every word has become one token


ODD_SPACES = "ab1.' \n\r\t\x1c\x85\u00a0\u2003\u180e\ufeffé"


@given(st.text(ODD_SPACES, min_size=1), st.integers(1, 9))
def test_pieces_are_encoded_as_the_whole(text: str, size: int) -> None:
    tokenizer = bpe.train([SENTENCE], 280)
    pieces = list(bpe.pieces(text, size))
    assert "".join(pieces) == text
    assert all(len(piece) >= size for piece in pieces[:-1])
    np.testing.assert_array_equal(bpe.encode(tokenizer, pieces), bpe.encode(tokenizer, [text]))


def test_stored_tokenizer_is_the_same_tokenizer(tmp_path: Path) -> None:
    tokenizer = bpe.train([SENTENCE], 280)
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer.to_str(), encoding="utf-8")
    assert bpe.load(path).to_str() == tokenizer.to_str()


@pytest.mark.parametrize("content", ["", "{}", '{"model": '])
def test_a_damaged_tokenizer_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"tokenizer.json.*run again"):
        bpe.load(path)


def test_a_vocabulary_without_room_for_the_bytes_is_refused() -> None:
    with pytest.raises(UserError, match="vocabulary of 255"):
        bpe.train([SENTENCE], 255)
