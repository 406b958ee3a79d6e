"""Tables: means, intervals and paired improvements; published numbers only where they hold."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rungs.config import read_config
from rungs.errors import UserError
from rungs.tables import experiment as stage
from rungs.tables import numbers
from rungs.tables.configured import experiment_settings
from rungs.tables.intervals import estimate, paired_difference
from rungs.tables.samples import OBSERVATION_COLUMNS, samples
from rungs.tables.settings import ExperimentSettings
from tests.typed import typed

SHIPPED = Path(__file__).parents[2] / "config.yaml"
LADDER = experiment_settings(read_config(SHIPPED), "ladder")
COLUMNS = ["corpus", "budget", "variant", "seed", "context_length", "metric", "value"]
"""Of observations; a key that no metric has may lack."""
NUMBERS = st.lists(st.floats(1, 1e4), min_size=2, max_size=6)


@given(values=NUMBERS)
def test_interval_is_the_t_test_s(values: list[float]) -> None:
    found = estimate(values)
    assert found.seeds == len(values)
    assert found.mean == pytest.approx(sum(values) / len(values))
    if max(values) - min(values) > 1e-3:
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_interval_in_closed_form() -> None:
    found = estimate([1.0, 3.0])
    assert (found.mean, found.low, found.high) == pytest.approx((2, 2 - 12.7062, 2 + 12.7062))
    assert estimate([5.0, 5.0, 5.0]) == estimate([5.0] * 3)
    assert (estimate([5.0] * 3).low, estimate([5.0] * 3).high) == (5, 5)


@given(values=NUMBERS, data=st.data())
def test_interval_does_not_depend_on_order(values: list[float], data: st.DataObject) -> None:
    assert estimate(values) == estimate(data.draw(st.permutations(values)))


def test_one_value_has_no_interval_and_none_no_mean() -> None:
    one, none = estimate([4.0]), estimate([])
    assert (one.mean, one.seeds) == (4, 1)
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert none.seeds == 0
    assert math.isnan(none.mean)


def test_only_common_seeds_are_paired() -> None:
    assert paired_difference({2: 10.0, 0: 5.0, 1: 7.0}, {3: 1.0, 1: 4.0, 2: 1.0}) == {1: 3, 2: 9}


def observed(
    variant: str, perplexities: dict[int, float], length: int = 128, parameters: int = 100
) -> list[tuple[Any, ...]]:
    """Rows of runs; the training perplexity is half the validation perplexity."""
    rows = []
    for seed, value in perplexities.items():
        rows += [
            ("c", "b", variant, seed, length, "perplexity", value),
            ("c", "b", variant, seed, length, "training_perplexity", value / 2),
            ("c", "b", variant, seed, length, "loss", math.log(value)),
            ("c", "b", variant, seed, None, "parameters", parameters),
        ]
    return rows


ONE_RUN = observed("one_block", {0: 38.0})


def build(
    folder: Path,
    rows: list[tuple[Any, ...]],
    described: ExperimentSettings = LADDER,
    experiment: str = "ladder",
) -> pd.DataFrame:
    """Run the stage and return its table, by variant and context length."""
    source, output = folder / "observations.csv", folder / "table.csv"
    pd.DataFrame(rows, columns=COLUMNS).to_csv(source, index=False)
    words = ["--kind", "scores", "--measured", str(source), "--experiment", experiment]
    words += ["--settings", described.canonical(), "--output", str(output)]
    typed(stage, words)
    return pd.read_csv(output).set_index(["variant", "context_length"])


def test_columns_and_rows_are_as_agreed(tmp_path: Path) -> None:
    build(tmp_path, ONE_RUN)
    table = pd.read_csv(tmp_path / "table.csv")
    assert table.columns.tolist() == [
        *("variant", "label", "context_length", "seeds", "diverged", "parameters"),
        *("perplexity", "perplexity_low", "perplexity_high", "perplexity_published"),
        *("training_perplexity", "training_perplexity_low", "training_perplexity_high"),
        "training_perplexity_published",
        *("reference", "improvement", "improvement_low", "improvement_high"),
        "improvement_published",
    ]
    assert table["variant"].tolist() == [row.variant for row in LADDER.rows]
    assert table["label"].tolist() == [row.label for row in LADDER.rows]


def test_improvement_is_paired_by_seed(tmp_path: Path) -> None:
    rows = observed("feed_forward", {0: 40.0, 1: 50.0, 2: 60.0, 5: 1.0})
    rows += observed("one_block", {2: 57.0, 0: 39.0, 1: 48.0, 4: 1000.0}, parameters=477_696)
    row = build(tmp_path, rows).loc[("one_block", 128)]
    assert row["reference"] == "feed_forward"
    assert row["improvement"] == 2
    half = 4.302653 / math.sqrt(3)  # the differences are 1, 2 and 3
    assert row["improvement_low"] == pytest.approx(2 - half, abs=1e-4)
    assert row["improvement_high"] == pytest.approx(2 + half, abs=1e-4)
    assert row["seeds"] == 4
    assert row["perplexity"] == 286
    assert row["training_perplexity"] == 143
    assert row["parameters"] == 477_696


def test_published_numbers_stand_in_their_columns(tmp_path: Path) -> None:
    table = build(tmp_path, ONE_RUN)
    published = table.filter(like="published").droplevel("context_length")
    assert published["perplexity_published"].dropna().to_dict() == {
        "no_context": 59.71,
        "average": 248,
        "average_added": 60.45,
        "one_block": 38.07,
        "two_blocks": 40.57,
    }
    assert published["training_perplexity_published"].dropna().to_dict() == {
        "one_block": 18.77,
        "two_blocks": 14.49,
    }
    assert published["improvement_published"].dropna().to_dict() == {
        "average_positions": 2.14,
        "average_added": 188,
        "one_head": 14,
        "one_head_replacing": -9,
        "four_heads": 3,
        "one_block": 1.8,
        "two_blocks": -2.5,
    }


def test_partial_results_leave_rows_without_numbers(tmp_path: Path) -> None:
    rows = observed("four_heads", {0: 43.0}) + observed("one_head", {0: 46.0})
    table = build(tmp_path, rows)
    assert len(table) == len(LADDER.rows)
    assert table["seeds"].tolist() == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0]
    four_heads = table.loc[("four_heads", 128)]
    assert four_heads["improvement"] == 3
    assert four_heads[["perplexity_low", "improvement_low", "improvement_high"]].isna().all()
    assert table.loc[("one_block", 128)].filter(regex="^(perplexity|improvement)$").isna().all()
    assert math.isnan(table.loc[("feed_forward", 128), "improvement"])


def test_several_context_lengths(tmp_path: Path) -> None:
    positions = experiment_settings(read_config(SHIPPED), "positions")
    rows = observed("alibi", {0: 45.0}, 64) + observed("alibi", {0: 43.0}, 256)[:1]
    table = build(tmp_path, rows, positions, "positions").loc["alibi"]
    assert table["perplexity_published"].fillna(0).to_dict() == {64: 44.95, 128: 0, 256: 42.49}
    assert table["perplexity"].fillna(0).to_dict() == {64: 45, 128: 0, 256: 43}
    assert table["training_perplexity"].fillna(0).to_dict() == {64: 22.5, 128: 0, 256: 0}


def changed(**changes: dict[str, Any]) -> ExperimentSettings:
    """Return the ladder's settings with fields changed inside a part of them."""
    parts = LADDER.model_dump()
    for part, fields in changes.items():
        if part == "one_block":
            row = next(row for row in parts["rows"] if row["variant"] == part)
            row["architecture"] |= fields
        else:
            parts[part] |= fields
    return ExperimentSettings.model_validate(parts)


@pytest.mark.parametrize(
    "change",
    [
        {"budget": {"steps": 2_999}},
        {"budget": {"batch_size": 32}},
        {"budget": {"learning_rate": 3e-3}},
        {"budget": {"warmup_steps": 1}},
        {"budget": {"weight_decay": 0.1}},
        {"budget": {"context_length": 64}},
        {"corpus": {"sha256": None}},
        {"corpus": {"vocabulary": 512}},
        {"corpus": {"validation_fraction": 0.2}},
    ],
)
def test_a_published_number_never_stands_beside_another_setting(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    table = build(tmp_path, observed("one_block", {0: 38.0}), changed(**change))
    assert table.filter(like="published").isna().all(axis=None)
    assert table.loc[("one_block", 128), "perplexity"] == 38


def test_a_changed_architecture_loses_its_own_published_numbers_only(tmp_path: Path) -> None:
    before = build(tmp_path, ONE_RUN).droplevel("context_length")
    after = build(tmp_path, ONE_RUN, changed(one_block={"width": 64})).droplevel("context_length")
    lost = before.notna() & after.isna()
    assert {(row, column) for row, column in lost.stack()[lambda x: x].index} == {
        ("one_block", "perplexity_published"),
        ("one_block", "training_perplexity_published"),
        ("one_block", "improvement_published"),
        ("two_blocks", "improvement_published"),
    }


@pytest.mark.parametrize(
    "change", [{"budget": {"validate_every": 10}}, {"one_block": {"position_rows": 512}}]
)
def test_what_leaves_a_number_as_it_is_keeps_the_published_one(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    table = build(tmp_path, ONE_RUN, changed(**change))
    assert table.loc[("one_block", 128), "perplexity_published"] == 38.07


def test_another_experiment_of_the_same_variants_has_no_published_numbers(tmp_path: Path) -> None:
    table = build(tmp_path, ONE_RUN, experiment="my_ladder")
    assert table.filter(like="published").isna().all(axis=None)


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_order_of_observations_never_shows(data: st.DataObject) -> None:
    rows = observed("one_head", {0: 46.1, 1: 45.2, 2: 47.7})
    rows += observed("four_heads", {0: 43.3, 1: 43.1, 2: 42.9})
    shuffled = data.draw(st.permutations(rows))
    tables = [
        stage.experiment_table(
            samples(
                pd.DataFrame(order, columns=COLUMNS).reindex(columns=OBSERVATION_COLUMNS),
                Path("o.csv"),
            ),
            LADDER,
            "ladder",
            "scores",
        )
        for order in (rows, shuffled)
    ]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_a_run_listed_twice_is_refused(tmp_path: Path) -> None:
    rows = observed("one_block", {0: 38.0})
    with pytest.raises(UserError, match="perplexity of one_block, seed 0, is listed twice"):
        build(tmp_path, rows + rows[:1])


def test_a_variant_of_two_budgets_is_refused(tmp_path: Path) -> None:
    rows = observed("one_block", {0: 38.0})
    rows.append(("c", "other", "one_block", 1, 128, "perplexity", 40.0))
    with pytest.raises(UserError, match="mixes several corpora or budgets of one_block"):
        build(tmp_path, rows)


def test_settings_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text(",".join(COLUMNS) + "\nc,b,v,0,,parameters,1\n")
    words = ["--kind", "scores", "--measured", tmp_path / "o.csv", "--experiment", "ladder"]
    words += ["--settings", "{}"]
    with pytest.raises(UserError, match="--settings: corpus: Field required"):
        typed(stage, [*words, "--output", tmp_path / "t"])


@pytest.mark.parametrize(
    "module",
    ["tables.observations", "tables.all_observations", "tables.experiment", "claims.claim_table"],
)
def test_no_table_waits_for_torch(module: str) -> None:
    code = f"import rungs.{module}, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("mean", "low", "high", "shown"),
    [
        (38.9, 38.1, 39.7, "38.9 [38.1, 39.7]"),
        (0.961, 0.9608, 0.9613, "0.9610 [0.9608, 0.9613]"),
        (0.961, 0.96099, 0.96101, "0.96100 [0.96099, 0.96101]"),
        (11.5, 11.5, 11.5, "11.5 [11.5, 11.5]"),
        (11.5, 11.5 - 1e-12, 11.5 + 1e-12, "11.5 [11.5, 11.5]"),
    ],
)
def test_an_interval_has_the_digits_that_show_it(
    mean: float, low: float, high: float, shown: str
) -> None:
    assert numbers.estimate(mean, low, high, 3) == shown
