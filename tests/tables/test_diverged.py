"""A variant of which a seed diverged has no numbers in any table, and the table says which seed."""

import json
from pathlib import Path
from typing import Any

import pytest

from rungs.config import read_config
from rungs.tables import continuations, observations
from rungs.tables.configured import experiment_settings
from rungs.tables.experiment import Kind, experiment_table, read_losses
from rungs.tables.samples import samples

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
SCORE = {"loss": 2.0, "perplexity": 7.4, "tokens": 8, "loss_by_position": [2.0] * 256}
SCORES = {
    "parameters": 100,
    "validation": {"128": SCORE, "256": SCORE},
    "validation_quarters": {"context_length": 128, "losses": [2.0] * 4},
    "training": {**SCORE, "context_length": 256},
}
ANSWERS = {"parameters": 100, "metrics": {"accuracy": 90.0, "block_1_tired_adjective": 0.5}}
DIVERGED = {"parameters": 100, "weights_sha256": "beef", "diverged_at_step": 212}


def write(folder: Path, variant: str, evaluations: list[dict[str, Any]]) -> list[Path]:
    """Write one evaluation a seed."""
    paths = []
    for seed, evaluation in enumerate(evaluations):
        paths.append(folder / f"evaluations/c/b/{variant}/seed{seed}.json")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text(json.dumps(evaluation))
    return paths


@pytest.mark.parametrize(
    ("experiment", "kinds", "variant", "other", "whole"),
    [
        ("ladder", ["scores"], "one_block", "two_blocks", SCORES),
        ("leak", ["steps"], "gpt_masked", "gpt_unmasked", SCORES),
        ("referents", ["answers", "attention"], "fair_one_block", "fair_average", ANSWERS),
        ("stories", ["scores"], "mlp", "gpt", SCORES),
    ],
)
def test_no_table_has_a_mean_over_survivors(
    experiment: str,
    kinds: list[Kind],
    variant: str,
    other: str,
    whole: dict[str, Any],
    tmp_path: Path,
) -> None:
    settings = experiment_settings(CONFIG, experiment)
    paths = write(tmp_path, variant, [whole, DIVERGED, DIVERGED | {"diverged_at_step": 3}])
    paths += write(tmp_path, other, [whole, whole])
    histories = []
    for path in paths if settings.steps else []:
        histories.append(tmp_path / "runs/c/b" / path.parent.name / path.stem / "history.jsonl")
        histories[-1].parent.mkdir(parents=True)
        done = [] if "diverged_at_step" in path.read_text() else settings.steps
        entries = ({"step": s, "training_loss": 2.0, "validation_loss": 2.0} for s in done)
        histories[-1].write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    measures = tmp_path / "c/measures.json"
    measures.parent.mkdir()
    measures.write_text('{"scored_tokens": 8, "scored_bytes": 20}')
    bytes_of = [measures] if experiment == "stories" else []
    found = observations.collect(paths, histories, steps=settings.steps, measures=bytes_of)
    measured = samples(found, tmp_path)
    tables = [experiment_table(measured, settings, experiment, kind) for kind in kinds]
    if experiment == "stories":
        losses = read_losses(paths, 256)
        tables.append(experiment_table(losses, settings, experiment, "positions"))
    numbers = ("perplexity", "accuracy", "validation_loss", "loss", "adjective_weight")
    for table in tables:
        shown = [name for name in numbers if name in table]
        compared = [name for name in ("improvement", "ratio") if name in table]
        rows, others = table[table["variant"] == variant], table[table["variant"] == other]
        assert set(rows["diverged"]) == {"seed 1 at step 212, seed 2 at step 3"}
        assert set(rows["seeds"]) == {0}
        assert rows[shown].isna().all(axis=None)
        assert set(others["diverged"]) <= {""}
        assert others[shown].notna().any(axis=None) or others.empty
        assert others[compared].isna().all(axis=None), "compared with a row without numbers"


def test_a_text_that_was_not_written_is_a_sentence(tmp_path: Path) -> None:
    paths = []
    for seed, found in enumerate(
        [
            {"text": "b", "tokens": 1, "distinct_tokens": 1, "ended": True},
            {"text": "Nothing.", "tokens": 0, "distinct_tokens": None, "ended": None},
        ]
    ):
        paths.append(tmp_path / f"gpt/seed{seed}.json")
        paths[-1].parent.mkdir(exist_ok=True)
        paths[-1].write_text(json.dumps({"prompt": "a"} | found))
    settings = experiment_settings(CONFIG, "stories")
    continuations.run(continuations=paths, settings=settings, output=tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert [line.split(",", 4)[-1] for line in lines[1:]] == ["b,1,1,yes", "Nothing.,0,,"]
    evaluations = write(tmp_path, "gpt", [DIVERGED, DIVERGED])
    table = observations.collect(evaluations, samples=paths)
    assert table.loc[table["metric"] == "distinct_tokens", "seed"].tolist() == [0]
