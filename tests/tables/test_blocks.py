"""A block's parameters: closed forms, counts in modules, and the published numbers beside them."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.config import read_config
from rungs.model.accounting import count_block_parameters
from rungs.model.architecture import Architecture
from rungs.tables import blocks as stage
from rungs.tables.blocks import closed_forms, is_whole_block
from tests.typed import typed

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")


def count(folder: Path, *variants: str, **changes: Any) -> pd.DataFrame:
    """Run the stage on shipped variants, with changes to the first; return its table."""
    models = [
        {
            "model": name,
            "label": name,
            "architecture": json.loads(CONFIG.variants[name].architecture()),
            "vocabulary": 1_024,
        }
        for name in variants
    ]
    models[0]["architecture"] |= changes
    output = folder / "blocks.csv"
    typed(stage, ["--models", json.dumps(models), "--output", str(output)])
    return pd.read_csv(output)


def test_gpt2_small_is_the_published_model(tmp_path: Path) -> None:
    table = count(tmp_path, "gpt2_small").set_index("component")
    assert table["parameters"].to_dict() == {
        "attention": 2_362_368,
        "feed-forward": 4_722_432,
        "LayerNorm": 3_072,
        "block": 7_087_872,
        "all blocks": 85_054_464,
        "final LayerNorm": 1_536,
    }
    assert table["closed_form"].tolist() == [
        *("4d² + 4d", "8d² + 5d", "4d", "12d² + 13d", "12 (12d² + 13d)", "2d"),
    ]
    assert table["parameters_published"].tolist() == table["parameters"].tolist()
    assert table["share"]["feed-forward"] == pytest.approx(2 / 3, abs=0.001)


def test_three_biases_fewer(tmp_path: Path) -> None:
    table = count(tmp_path, "gpt2_small", "gpt2_small_fewer_biases").set_index(
        ["model", "component"]
    )["parameters"]
    fewer = table["gpt2_small", "block"] - table["gpt2_small_fewer_biases", "block"]
    assert fewer == 2_304 == 3 * 768


def test_each_different_block_once_and_no_other(tmp_path: Path) -> None:
    table = count(tmp_path, "one_block", "no_context", "four_heads", "two_blocks", "rotary")
    assert table["model"].unique().tolist() == ["one_block"]
    assert table["parameters_published"].isna().all()


def test_another_width_has_no_published_numbers(tmp_path: Path) -> None:
    assert count(tmp_path, "gpt2_small", width=780)["parameters_published"].isna().all()


@given(
    heads=st.integers(2, 6),
    head_width=st.integers(1, 20),
    bias=st.booleans(),
    normalization=st.sampled_from(["pre", "post"]),
)
def test_closed_forms_are_what_modules_have(
    heads: int, head_width: int, bias: bool, normalization: str
) -> None:
    shape = Architecture(
        width=heads * head_width, heads=heads, mixer="attention", attention_bias=bias,
        feed_forward=True, normalization=normalization,
    )  # fmt: skip
    assert is_whole_block(shape)
    expected = {name: form.at(shape.width) for name, form in closed_forms(shape).items()}
    assert count_block_parameters(shape) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"heads": 1},
        {"head_width": 48},
        {"feed_forward": False},
        {"normalization": "none"},
    ],
)
def test_what_is_not_a_whole_block(change: dict[str, Any]) -> None:
    assert is_whole_block(CONFIG.variants["one_block"])
    assert not is_whole_block(CONFIG.variants["one_block"].model_copy(update=change))
