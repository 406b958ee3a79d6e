"""The referent language: every sentence, what is held out, and what can be told without order."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.config import read_config
from rungs.configuration.corpora import ReferentCorpus
from rungs.corpus import generate_referents
from rungs.corpus.referents import EXAMPLE, Version, pairs, sentences, split
from rungs.corpus.tokenizer import load
from rungs.corpus.tokens import load_tokens
from rungs.errors import UserError

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
DEFAULT = [CONFIG.corpora[f"referents_{version}"] for version in ("fair", "cheatable")]
CORPORA = {c.version: c for c in DEFAULT if isinstance(c, ReferentCorpus)}

# The language again, as the chapter states it.
CROSSER, CROSSED = {"tired", "scared", "slow", "weak"}, {"wet", "wide", "busy", "steep"}


def generate(folder: Path, corpus: ReferentCorpus) -> SimpleNamespace:
    made = SimpleNamespace(
        version=corpus.version, text=folder / "text.txt", tokenizer=folder / "tokenizer.json",
        train=folder / "train.npy", validation=folder / "validation.npy",
        summary=folder / "summary.json",
    )  # fmt: skip
    fraction = Fraction(str(corpus.validation_fraction))
    generate_referents.run(**vars(made), validation_fraction=fraction, seed=corpus.seed)
    return made


def read(arguments: SimpleNamespace, part: str) -> list[list[str]]:
    """Return the sentences of a split from its token file, word by word."""
    tokens = load_tokens(getattr(arguments, part))
    tokenizer = load(arguments.tokenizer)
    words = [tokenizer.id_to_token(int(token)) for token in tokens]
    return [words[start : start + 18] for start in range(0, len(words) // 18 * 18, 18)]


@pytest.fixture(params=["fair", "cheatable"])
def shipped(request: pytest.FixtureRequest, tmp_path: Path) -> SimpleNamespace:
    return generate(tmp_path, CORPORA[request.param])


def test_every_sentence_says_what_the_chapter_s_template_says(shipped: SimpleNamespace) -> None:
    for sentence in read(shipped, "train") + read(shipped, "validation"):
        x, y, adjective, referent = sentence[1], sentence[6], sentence[11], sentence[15]
        assert " ".join(sentence) == (
            f"the {x} did not cross the {y} because it was too {adjective} , "
            f"so the {referent} waited ."
        )
        assert x != y
        assert adjective in CROSSER | CROSSED
        assert referent == (x if adjective in CROSSER else y)


def test_every_pair_occurs_once_with_each_adjective(shipped: SimpleNamespace) -> None:
    everything = read(shipped, "train") + read(shipped, "validation")
    counts = Counter((sentence[1], sentence[6], sentence[11]) for sentence in everything)
    assert set(counts.values()) == {1}
    assert len(counts) == 8 * {"fair": 16 * 15, "cheatable": 8 * 8}[shipped.version]
    for part in ("train", "validation"):
        adjectives = Counter(sentence[11] for sentence in read(shipped, part))
        assert len(adjectives) == 8
        assert len(set(adjectives.values())) == 1


def test_no_held_out_pair_is_trained_on_and_its_other_order_is(tmp_path: Path) -> None:
    arguments = generate(tmp_path, CORPORA["fair"])
    trained = {(s[1], s[6]) for s in read(arguments, "train")}
    held_out = {(s[1], s[6]) for s in read(arguments, "validation")}
    assert len(held_out) == 60
    assert len(trained) == 180
    assert not held_out & trained
    assert {(y, x) for x, y in held_out} <= trained
    for slot in (0, 1):
        assert len({pair[slot] for pair in trained}) == 16
    assert EXAMPLE in held_out


def test_the_words_give_the_answer_away_in_the_cheatable_version_only(
    shipped: SimpleNamespace,
) -> None:
    answers: dict[frozenset[str], set[str]] = {}
    for sentence in read(shipped, "train") + read(shipped, "validation"):
        answers.setdefault(frozenset(sentence[:15]), set()).add(sentence[15])
    known = {len(referents) for referents in answers.values()}
    assert known == ({1} if shipped.version == "cheatable" else {2})


def test_a_model_without_order_learns_to_answer_backwards(tmp_path: Path) -> None:
    """Remembering the training sentence with the same words is wrong every time."""
    arguments = generate(tmp_path, CORPORA["fair"])
    remembered = {frozenset(s[:15]): s[15] for s in read(arguments, "train")}
    for sentence in read(arguments, "validation"):
        answer = remembered[frozenset(sentence[:15])]
        assert answer in (sentence[1], sentence[6])
        assert answer != sentence[15]


def test_a_training_window_is_a_sentence_and_the_word_after_it(
    shipped: SimpleNamespace,
) -> None:
    tokens = load_tokens(shipped.train)
    assert len(tokens) % 18 == 1
    windows = np.lib.stride_tricks.sliding_window_view(tokens, 19)[::18]
    assert len(windows) == len(read(shipped, "train"))
    assert (
        len({int(window[0]) for window in windows} | {int(window[18]) for window in windows}) == 1
    )


def test_summary_and_text(shipped: SimpleNamespace) -> None:
    summary = json.loads(shipped.summary.read_text())
    text = shipped.text.read_text()
    lines = [" ".join(s) for s in read(shipped, "train") + read(shipped, "validation")]
    assert text.splitlines() == lines
    assert summary["vocabulary"] == len(set(text.split())) == CORPORA[shipped.version].vocabulary
    assert summary["tokens"] == len(text.split())
    assert summary["train_tokens"] + summary["validation_tokens"] == summary["tokens"]
    assert summary["characters"] == len(text)


@given(
    st.sampled_from(["fair", "cheatable"]), st.fractions(Fraction(1, 100), Fraction(2, 5)),
    st.integers(0, 2**31 - 1),
)  # fmt: skip
def test_any_split_keeps_the_rules(version: Version, share: Fraction, seed: int) -> None:
    try:
        trained, held_out = split(version, share, seed)
    except UserError:
        assert share > Fraction(1, 4)  # the ring of pairs left is too small for every noun
        return
    assert sorted(trained + held_out) == sorted(pairs(version))
    assert len(held_out) == max(1, round(share * len(trained + held_out)))
    if version == "fair":
        assert {(y, x) for x, y in held_out} <= set(trained)
    assert split(version, share, seed) == (trained, held_out)


def test_the_seed_decides_which_pairs_are_held_out() -> None:
    first, second = (split("fair", Fraction(1, 4), seed)[1] for seed in (0, 1))
    assert first != second
    assert len(first) == len(second)


def test_too_many_held_out_pairs_are_refused() -> None:
    with pytest.raises(UserError, match=r"validation_fraction: 0\.6 of the 240 pairs is too many"):
        split("fair", Fraction(6, 10), 0)
    with pytest.raises(UserError, match="every noun must be trained on"):
        split("cheatable", Fraction(9, 10), 0)


def test_example() -> None:
    assert sentences([("animal", "street")])[0] == (
        "the animal did not cross the street because it was too tired , so the animal waited ."
    )
