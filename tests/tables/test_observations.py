"""Observations: every number of every evaluation, once, in an order of their own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rungs.errors import UserError
from rungs.tables import all_observations, observations
from rungs.tables.experiment import SHARPNESS
from tests.typed import typed


def evaluation(perplexity: float = 40.1, **changes: Any) -> dict[str, Any]:
    return {
        "parameters": 477_696,
        "weights_sha256": "0",
        "validation": {
            "128": {"loss": 3.7, "perplexity": perplexity, "tokens": 9, "loss_by_position": [4.0]},
            "64": {"loss": 3.8, "perplexity": 44.7, "tokens": 9, "loss_by_position": [4.0]},
        },
        "validation_quarters": {"context_length": 128, "losses": [0.0, 0.0, 0.0, 0.0]},
        "training": {"context_length": 128, "loss": 2.9, "perplexity": 18.2, "tokens": 9},
    } | changes


def write(folder: Path, address: str, content: dict[str, Any]) -> Path:
    path = folder / f"{address}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def collect(paths: Sequence[Path], output: Path) -> str:
    words = ["--evaluations", *map(str, paths), "--output", str(output)]
    typed(observations, words)
    return output.read_text()


def test_one_row_per_run_context_length_and_metric(tmp_path: Path) -> None:
    path = write(tmp_path, "shakespeare/window_128/one_block/seed7", evaluation())
    assert collect([path], tmp_path / "o.csv").splitlines() == [
        "corpus,budget,variant,seed,context_length,step,block,adjective,metric,value",
        "shakespeare,window_128,one_block,7,,,,,parameters,477696.0",
        "shakespeare,window_128,one_block,7,64,,,,loss,3.8",
        "shakespeare,window_128,one_block,7,64,,,,perplexity,44.7",
        "shakespeare,window_128,one_block,7,128,,,,loss,3.7",
        "shakespeare,window_128,one_block,7,128,,,,perplexity,40.1",
        *(
            f"shakespeare,window_128,one_block,7,128,,,,perplexity_quarter_{number},1.0"
            for number in (1, 2, 3, 4)
        ),
        "shakespeare,window_128,one_block,7,128,,,,training_perplexity,18.2",
    ]


@given(data=st.data(), values=st.lists(st.floats(1, 1e6), min_size=4, max_size=4))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_order_never_shows_and_no_digit_is_lost(
    tmp_path: Path, data: st.DataObject, values: list[float]
) -> None:
    runs = [f"c/b/{variant}/seed{seed}" for variant in ("b", "a") for seed in (10, 9)]
    paths = [
        write(tmp_path, run, evaluation(value)) for run, value in zip(runs, values, strict=True)
    ]
    shuffled = data.draw(st.permutations(paths))
    text = collect(shuffled, tmp_path / "o.csv")
    assert text == collect(paths, tmp_path / "p.csv")
    table = pd.read_csv(tmp_path / "o.csv")
    rows = table[(table["metric"] == "perplexity") & (table["context_length"] == 128)]
    read = {f"c/b/{row.variant}/seed{row.seed}": row.value for row in rows.itertuples()}
    assert read == dict(zip(runs, values, strict=True))
    assert rows["seed"].tolist() == [9, 10, 9, 10]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"parameters": 3}, "validation: "),
        (evaluation(validation_quarters={"context_length": 1, "losses": [1.0]}), "validation_quar"),
        (evaluation(training={"loss": 1.0, "perplexity": 2.0}), r"training\.context_length"),
        (evaluation(perplexity=-1.0), r"validation\.128\.perplexity"),
        (evaluation(validation={"all": {"loss": 1.0, "perplexity": 2.0}}), "validation.all"),
    ],
)
def test_malformed_evaluation_is_named(tmp_path: Path, content: dict[str, Any], named: str) -> None:
    path = write(tmp_path, "c/b/v/seed0", content)
    with pytest.raises(UserError, match=rf"seed0\.json: {named}.*delete it and run again"):
        collect([path], tmp_path / "o.csv")
    assert not (tmp_path / "o.csv").exists()


def test_missing_evaluation_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"seed0\.json: cannot be read"):
        collect([tmp_path / "c/b/v/seed0.json"], tmp_path / "o.csv")


@pytest.mark.parametrize("address", ["c/b/v/0", "c/b/v/seed", "c/b/v/seed-1", "c/b/v/run0"])
def test_file_at_another_address_is_refused(tmp_path: Path, address: str) -> None:
    path = write(tmp_path, address, evaluation())
    with pytest.raises(UserError, match="not at the address of an evaluation"):
        collect([path], tmp_path / "o.csv")


def test_same_run_twice_is_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path / where, "c/b/v/seed0", evaluation()) for where in ("old", "new")]
    with pytest.raises(UserError, match=r"new/c/b/v/seed0.json: is the same run as .*old/c/b/v"):
        collect(paths, tmp_path / "o.csv")


def join(paths: Sequence[Path], output: Path) -> str:
    words = ["--observations", *map(str, paths), "--output", str(output)]
    typed(all_observations, words)
    return output.read_text()


def test_experiments_are_joined_under_their_names_in_any_order(tmp_path: Path) -> None:
    # 0.1 + 0.2 needs its seventeenth digit.
    paths = []
    for experiment in ("positions", "ladder"):
        run = write(tmp_path, f"c/{experiment}/v/seed0", evaluation(0.1 + 0.2))
        paths.append(tmp_path / f"{experiment}.csv")
        collect([run], paths[-1])
    joined = join(paths, tmp_path / "all.csv")
    assert joined == join(paths[::-1], tmp_path / "again.csv")
    header, *rows = joined.splitlines()
    assert header.startswith("experiment,corpus,budget,variant,seed,context_length,step,")
    for experiment, part in zip(("ladder", "positions"), (rows[:10], rows[10:]), strict=True):
        own = (tmp_path / f"{experiment}.csv").read_text().splitlines()[1:]
        assert part == [f"{experiment},{row}" for row in own]


def test_an_experiment_given_twice_is_refused(tmp_path: Path) -> None:
    run = write(tmp_path, "c/b/v/seed0", evaluation())
    paths = [tmp_path / where / "ladder.csv" for where in ("a", "b")]
    for path in paths:
        collect([run], path)
    with pytest.raises(UserError, match="a file for ladder is given already"):
        join(paths, tmp_path / "all.csv")


def test_what_is_no_table_of_observations_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ladder.csv"
    path.write_text("variant,perplexity\none_block,38\n")
    with pytest.raises(UserError, match=r"ladder\.csv: has no column corpus"):
        join([path], tmp_path / "all.csv")


def test_observed_attention_becomes_metrics(tmp_path: Path) -> None:
    path = write(tmp_path / "evaluations", "c/short/head/seed3", evaluation())
    history = tmp_path / "runs/c/short/head/seed3/history.jsonl"
    history.parent.mkdir(parents=True)
    losses = {"training_loss": None, "validation_loss": 5.0}
    blocks = [{"score_std": 1.0, "entropy": 2.0, "saturated_share": 0.0}]
    more = [*blocks, {"score_std": 3.0, "entropy": 0.0, "saturated_share": 1.0}]
    entries = [
        {"step": 0, **losses, "attention": blocks},
        {"step": 5, **losses, "attention": more},
    ]
    history.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    table = observations.collect([path], [history])
    measured = table[table["metric"].isin(SHARPNESS)]
    assert dict(zip(measured["metric"], measured["value"], strict=True)) == {
        "score_std_at_start": 1.0, "score_std": 2.0, "attention_entropy": 1.0, "hard_share": 0.5,
    }  # fmt: skip
    assert set(measured["seed"]) == {3}


def test_a_history_outside_of_a_run_s_folder_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "c/b/v/seed0", evaluation())
    with pytest.raises(UserError, match="not at the address of an evaluation"):
        observations.collect([path], [Path("history.jsonl")])
