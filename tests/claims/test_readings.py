"""Readings: what a configured answer adds, which are refused, and how claims fare under them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rungs.claims.configured import claim_settings
from rungs.claims.readings import Read, reading_table
from rungs.config import Config, parse_config
from rungs.errors import UserError
from rungs.published.quantity import Cell
from tests.claims.published_world import CELLS, World, published_world

ROOT = Path(__file__).parents[2]
HALF = {
    "name": "half_batch",
    "question": "On how many windows a step?",
    "where": "attention, where the LayerNorm goes",
    "answer": "32 windows",
    "standing": "found by fit",
    "budgets": {"deep": "deep_half", "deep_warmup": "deep_half_warmup"},
}


def configured(*readings: dict[str, Any]) -> Config:
    raw = yaml.safe_load((ROOT / "config.yaml").read_text())
    deep, warmup = raw["budgets"]["deep"], raw["budgets"]["deep_warmup"]
    raw["budgets"] |= {
        "deep_half": deep | {"batch_size": 32},
        "deep_half_warmup": warmup | {"batch_size": 32},
        "deep_again": deep,
    }
    raw["readings"] = list(readings)
    return parse_config(raw)


def test_a_reading_runs_what_it_changes_and_nothing_else() -> None:
    without, config = configured(), configured(HALF)
    added = set(config.experiments) - set(without.experiments)
    assert added == {"normalization_half_batch"}
    read = config.experiments["normalization_half_batch"]
    assert read.title.endswith("(32 windows)")
    assert [run._replace(budget="") for run in config.runs("normalization_half_batch")] == [
        run._replace(budget="") for run in config.runs("normalization")
    ]
    assert {run.budget for run in config.runs("normalization_half_batch")} == {
        "deep_half", "deep_half_warmup"
    }  # fmt: skip


def test_a_reading_of_one_variant_shares_the_runs_of_the_others() -> None:
    config = configured(HALF | {"budgets": {}, "variants": {"pre_norm": "one_block"}})
    read = config.runs("normalization_half_batch")
    assert {run.variant for run in read} - {
        run.variant for run in config.runs("normalization")
    } == {"one_block"}
    assert config.experiments["normalization_half_batch"].comparisons["post_norm"] == "one_block"


def test_a_configuration_with_readings_is_read_again_as_it_is() -> None:
    config = configured(HALF)
    assert Config.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budgets": {"deep": "deap"}}, r"budgets\.deep: there is no deap.*did you mean deep"),
        ({"budgets": {"deap": "deep"}}, r"readings\.0\.budgets: there is no deap"),
        ({"budgets": {"deep": "deep_again"}}, "deep_again is the same as deep"),
        ({"budgets": {"deep_half": "deep"}}, "half_batch changes no experiment and no probe"),
        ({"columns": {"variances": {"a": "b"}}}, "there is no variances under probes"),
        ({"columns": {"ladder": {"perplexity": "sample_perplexity"}}},
         r"columns\.ladder: there is no sample_perplexity.*did you mean sampled_perplexity"),
        ({"standing": "likely"}, r"readings\.0\.standing"),
    ],
)  # fmt: skip
def test_a_reading_that_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        configured(HALF | change)


def test_two_readings_of_one_name_are_refused() -> None:
    with pytest.raises(UserError, match="readings: half_batch is listed twice"):
        configured(HALF, HALF)


def test_an_experiment_of_ones_own_is_not_taken_for_a_readings() -> None:
    raw = yaml.safe_load((ROOT / "config.yaml").read_text())
    mine = raw["experiments"]["normalization"] | {"title": "Mine", "seeds": [7]}
    raw["experiments"]["ladder_batch_32"] = mine
    config = parse_config(raw)  # batch_32 does not change the ladder, and adds none of this name
    assert "ladder_batch_32" not in config.read_experiments
    assert "ladder_batch_32" in claim_settings(config).experiments
    raw["experiments"]["normalization_batch_32"] = mine
    with pytest.raises(UserError, match=r"normalization_batch_32: a reading's experiment has this"):
        parse_config(raw)


def test_claims_are_judged_by_the_readings_results_beside_the_defaults() -> None:
    settings = claim_settings(configured(HALF), readings=True)
    world = published_world()
    published = {}
    for name, cell in CELLS.items():
        if cell.table == "normalization":
            read = Cell(table="normalization_half_batch", row=cell.row, column=cell.column)
            published[read.canonical()] = world[name]
            # The default ends elsewhere, and has its claims missed.
            value = world[name]
            assert isinstance(value, dict)
            world[name] = {seed: 1.5 * number for seed, number in value.items()}
    table = reading_table(World(world | published), settings).set_index("id")
    assert set(table["reading"]) == {"half_batch"}
    assert set(table["verdict"]) == {"reproduced"}
    assert table.loc["normalization-pre-norm", "default"] == "not reproduced"
    missing = reading_table(World(world), settings)
    assert set(missing["verdict"]) == {"not run"}


def test_left_out_runs_of_a_reading_are_not_judged_whoever_made_them() -> None:
    settings = claim_settings(configured(HALF | {"seeds": []}), readings=True)
    reasons = reading_table(World(published_world()), settings)["reason"]
    assert reasons.str.contains("normalization_half_batch is left out").all()


def test_columns_of_a_probe_are_read_in_the_place_of_others() -> None:
    columns = {"gradient_norms": {"whole_block": "output_projection"}}
    config = configured(HALF | {"budgets": {}, "columns": columns})
    (setting,) = claim_settings(config, readings=True).readings
    own = Cell(
        table="gradient_norms", row={"variant": "pre_norm", "block": 1}, column="whole_block"
    )
    assert Read(World({}), setting).cell(own).column == "output_projection"
    other = own.model_copy(update={"column": "else"})
    assert not Read(World({}), setting).reads(other)


def test_a_reading_may_measure_an_experiment_otherwise() -> None:
    columns = {"positions": {"perplexity": "sampled_perplexity"}}
    sampled = HALF | {"budgets": {}, "columns": columns}
    config = configured(sampled)
    assert not config.read_experiments, "no run is another"
    (reading,) = claim_settings(config, readings=True).readings
    at_64 = {"variant": "alibi", "context_length": 64}
    cell = Cell(table="positions", row=at_64, column="perplexity")
    read = Read(World(published_world()), reading).cell(cell)
    assert (read.table, read.column) == ("positions", "sampled_perplexity")
