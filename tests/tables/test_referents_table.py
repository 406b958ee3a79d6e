"""The tables of an experiment that counts answers: from observations to rows and intervals."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rungs.config import read_config
from rungs.corpus.referents import ROLES
from rungs.tables import experiment, observations
from rungs.tables.configured import experiment_settings
from rungs.tables.settings import ExperimentSettings
from tests.typed import typed

SETTINGS = experiment_settings(read_config(Path(__file__).parents[2] / "config.yaml"), "referents")
COLUMNS = ["corpus", "budget", "variant", "block", "adjective", "seed", "metric", "value"]


def observed(
    variant: str, metric: str, values: dict[int, float], *keys: int | str
) -> list[tuple[Any, ...]]:
    of = ("c", "b", variant, *(keys or (None, None)))
    return [(*of, seed, metric, value) for seed, value in values.items()]


def build(
    folder: Path, rows: list[tuple[Any, ...]], settings: ExperimentSettings = SETTINGS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run the stage on hand-written observations; return both tables, answers by variant."""
    source = folder / "o.csv"
    pd.DataFrame(rows, columns=COLUMNS).to_csv(source, index=False)
    for kind, output in (("answers", "t.csv"), ("attention", "a.csv")):
        words = ["--kind", kind, "--measured", str(source), "--experiment", "referents"]
        words += ["--settings", settings.canonical(), "--output", str(folder / output)]
        typed(experiment, words)
    return pd.read_csv(folder / "t.csv").set_index("variant"), pd.read_csv(folder / "a.csv")


ROWS = [
    *observed("fair_average", "accuracy", {0: 20.0, 1: 30.0, 2: 40.0}),
    *observed("fair_average", "wrong_noun", {0: 50.0, 1: 50.0, 2: 50.0}),
    *observed("fair_average", "chance", {0: 50.0, 1: 50.0, 2: 50.0}),
    *observed("fair_average", "parameters", {0: 9.0, 1: 9.0, 2: 9.0}),
    *observed("fair_two_blocks", "accuracy", {0: 100.0}),
    *observed("fair_two_blocks", "adjective_weight", {0: 0.9, 1: 1.0}, 2, "tired"),
    *observed("fair_two_blocks", "first_noun_weight", {0: 0.1, 1: 0.0}, 2, "tired"),
]


def test_answers_are_means_over_seeds_beside_the_published_ones(tmp_path: Path) -> None:
    table, _ = build(tmp_path, ROWS)
    assert table.index.tolist() == [
        *("cheatable_average", "cheatable_one_block"),
        *("fair_average", "fair_one_block", "fair_two_blocks"),
    ]
    assert table["version"].tolist() == ["cheatable"] * 2 + ["fair"] * 3
    assert table["seeds"].tolist() == [0, 0, 3, 0, 1]
    average = table.loc["fair_average"]
    assert (average["accuracy"], average["wrong_noun"], average["chance"]) == (30, 50, 50)
    half = 4.302653 * 10 / 3**0.5
    assert average["accuracy_low"] == pytest.approx(30 - half, abs=1e-4)
    assert average["accuracy_high"] == pytest.approx(30 + half, abs=1e-4)
    assert average["parameters"] == 9
    published = table["accuracy_published"]
    assert published.tolist() == [100.0, 91.7, 27.9, 92.7, 100.0]
    assert table["wrong_noun_published"].dropna().to_dict() == {"fair_average": 50}


@pytest.mark.parametrize(
    "change",
    [
        {"budget": {"steps": 100}},
        {"corpus": {"version": "cheatable"}},
        {"corpus": {"validation_fraction": 0.1}},
    ],
)
def test_published_answers_do_not_stand_beside_another_setting(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    parts = SETTINGS.model_dump()
    for part, fields in change.items():
        parts[part] |= fields
    table, _ = build(tmp_path, ROWS, ExperimentSettings.model_validate(parts))
    fair = table[table.index.isin(["fair_one_block", "fair_two_blocks"])]  # at its budget
    assert fair.filter(like="published").isna().all(axis=None)


def test_attention_has_a_row_for_every_block_and_adjective(tmp_path: Path) -> None:
    _, attention = build(tmp_path, ROWS)
    counts = attention.groupby("variant").size().to_dict()
    assert counts == {"cheatable_one_block": 8, "fair_one_block": 8, "fair_two_blocks": 16}
    assert dict(zip(attention["adjective"], attention["role"], strict=True)) == ROLES
    row = attention[
        (attention["variant"] == "fair_two_blocks")
        & (attention["block"] == 2)
        & (attention["adjective"] == "tired")
    ].iloc[0]
    assert row["adjective_weight"] == pytest.approx(0.95)
    assert row["seeds"] == 2
    assert row["first_noun_weight"] == pytest.approx(0.05)
    assert attention["second_noun_weight"].isna().all()
    assert (attention["adjective_weight"].notna().sum(), attention["seeds"].sum()) == (1, 2)


def test_answers_become_observations_of_what_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "c/b/v/seed3.json"
    path.parent.mkdir(parents=True)
    metrics = {
        "accuracy": 99.5, "block_2_tired_first_noun": 0.25, "example_block_1_wet_adjective": 0.5,
        "example_block_1_row": 0.125,
    }  # fmt: skip
    path.write_text(json.dumps({"parameters": 7, "metrics": metrics}))
    table = observations.collect([path])
    assert table["context_length"].isna().all()
    assert set(table["seed"]) == {3}
    columns = ["block", "adjective", "metric", "value"]
    found = table[columns].astype(object).where(table[columns].notna(), None)
    assert set(found.itertuples(index=False, name=None)) == {
        (None, None, "parameters", 7.0),
        (None, None, "accuracy", 99.5),
        (2, "tired", "first_noun_weight", 0.25),
        (1, "wet", "example_adjective_weight", 0.5),
        (1, None, "example_row", 0.125),
    }
