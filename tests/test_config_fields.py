"""Every field of the configuration, given what nobody should: accepted, or refused in one line."""

import copy
import datetime
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from rungs.config import Config, parse_config, read_config
from rungs.configuration.corpora import DownloadedCorpus, GeneratedCorpus, StoriesCorpus
from rungs.configuration.experiments import Experiment, Kernels, ParameterCount, Variant
from rungs.errors import UserError
from rungs.training.budget import Budget

ROOT = Path(__file__).parents[1]
BASE: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text())
BASE["corpora"]["stories"] = yaml.safe_load((ROOT / "config/preview.yaml").read_text())["corpora"][
    "stories"
]

SECTIONS: dict[tuple[str | int, ...], type[BaseModel]] = {
    (): Config,
    ("corpora", "shakespeare"): DownloadedCorpus,
    ("corpora", "stories"): GeneratedCorpus,
    ("corpora", "tinystories"): StoriesCorpus,
    ("budgets", "window_64"): Budget,
    ("variants", "rotary"): Variant,
    ("experiments", "ladder"): Experiment,
    ("kernels",): Kernels,
    ("parameter_counts", 0): ParameterCount,
}
FIELDS = [(*path, name) for path, model in SECTIONS.items() for name in model.model_fields]

NUMBERS = st.sampled_from(
    [
        *(0, -1, 1, 2**31, 2**63, 10**30, -(10**30), 0.0, -0.0, 0.5, 1e-300, 1e300),
        *(float("nan"), float("inf"), float("-inf"), True, False),
    ]
)
# What YAML makes of words that mean something else to the person who wrote them.
ODDITIES = st.sampled_from(
    [
        *("1e-3", "1_000", "0x10", "no", "yes", "on", "~", "", " ", "null", ".nan", "1:30", "="),
        *("\0", "a\nb", "../x", "$(touch pwned)", "';--", "<b>", "{x}", "\ud800", "a" * 10_000),
        *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), b"bytes"),
    ]
)
SCALARS = st.none() | NUMBERS | ODDITIES | st.text() | st.integers() | st.floats()
ANYTHING = st.recursive(
    SCALARS,
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(SCALARS.filter(lambda key: key == key), children, max_size=3)
    ),
    max_leaves=4,
)


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    raw = copy.deepcopy(BASE)
    section: Any = raw
    for part in path[:-1]:
        section = section[part]
    section[path[-1]] = value
    return raw


@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
@settings(max_examples=25)
@given(value=ANYTHING)
@example(value=None)
@example(value=[])
@example(value={})
@example(value={"a": {"a": 1}})
def test_a_field_is_accepted_or_refused_by_its_name(path: tuple[str, ...], value: Any) -> None:
    try:
        config = parse_config(changed(path, value))
    except UserError as refusal:
        for line in str(refusal).splitlines():
            assert line.startswith("config.yaml: ")
    else:
        # What is accepted means the same after the journey to a job.
        assert parse_config(json.loads(config.model_dump_json())) == config


@pytest.mark.parametrize("section", ["corpora", "budgets", "variants", "experiments"])
@pytest.mark.parametrize(
    "name",
    [
        *("../x", "a/b", "$(touch pwned)", "`x`", "a;b", "a b", "a'b", 'a"b', "<b>", "{x}", "-rf"),
        *("*", "rotary\n", "rotary\0", "Rotary", "1", "ｒotary", "rotаry", "a" * 61, ".", ""),
    ],
)
def test_a_name_that_is_more_than_a_word_is_refused(section: str, name: str) -> None:
    """Names become paths and words of commands."""
    entry = next(iter(BASE[section].values()))
    with pytest.raises(UserError, match=rf"^config.yaml: {section}\."):
        parse_config(changed((section, name), entry))


@pytest.mark.parametrize("path", list(SECTIONS), ids=lambda path: ".".join(map(str, path)) or "top")
@pytest.mark.parametrize("key", ["Steps", "step s", "", "label ", "no", "ｓｅｅｄｓ"])
def test_an_unknown_key_is_refused_wherever_it_is(path: tuple[str | int, ...], key: str) -> None:
    with pytest.raises(UserError) as refusal:
        parse_config(changed((*path, key), 1))
    assert ".".join(map(str, (*path, key))) + ": " in str(refusal.value)


@settings(max_examples=100)
@given(
    key=st.sampled_from(["steps", "learning_rate", "observe_attention", "precision", "x"]),
    value=st.sampled_from(
        [
            *("1e-3", "no", "yes", "off", "~", "", "010", "1_0", "1:30", "!!python/object:os.x y"),
            *("&a [*a]", "<<", "2020-01-01", "'", "[", "{", "*b", "| x", "!!float 1", "!!str 1"),
        ]
    )
    | st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=12),
)
def test_any_text_after_a_key_is_accepted_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: str
) -> None:
    overlay = tmp_path_factory.getbasetemp() / "overlay.yaml"
    overlay.write_bytes(f"budgets:\n  window_64:\n    {key}: {value}\n".encode())
    try:
        config = read_config(ROOT / "config.yaml", overlay)
    except UserError as refusal:
        assert "overlay.yaml" in str(refusal)  # noqa: PT017
    else:
        assert isinstance(config, Config)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("seeds: [0]\nseeds: [1]\n", r"line 2: seeds is given twice"),
        ("variants:\n  rotary: {heads: 2, width: 64, heads: 4}\n", r"line 2: heads is given twice"),
        ("variants:\n  a: {}\n  b: {}\n  a: {}\n", r"line 4: a is given twice"),
        ("parameter_counts:\n  - {variant: a, variant: b}\n", r"line 2: variant is given twice"),
    ],
)
def test_a_key_given_twice_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(text)
    with pytest.raises(UserError, match=problem):
        read_config(ROOT / "config.yaml", overlay)


def test_a_merged_key_may_be_overridden(tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "variants:\n  a: &a {mixer: attention, heads: 2}\n  b: &b {<<: *a, heads: 4}\n"
        "  c: {<<: *b, heads: 8}\n"
    )
    config = read_config(ROOT / "config.yaml", overlay)
    assert [config.variants[name].heads for name in "abc"] == [2, 4, 8]
