"""Bits per byte, losses by step and by position, and what runs wrote."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rungs.config import read_config
from rungs.errors import UserError
from rungs.tables import continuations, observations
from rungs.tables.configured import experiment_settings
from rungs.tables.experiment import experiment_table, read_losses
from rungs.tables.samples import samples

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
STORIES, LEAK = (experiment_settings(CONFIG, name) for name in ("stories", "leak"))
LENGTH = 256


def evaluated(folder: Path, variant: str, seed: int, losses: list[float]) -> Path:
    """An evaluation of two windows at 256 tokens."""
    path = folder / f"evaluations/tinystories/stories/{variant}/seed{seed}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    loss = float(np.mean(losses))
    split = {"loss": loss, "perplexity": math.exp(loss)}
    validation = {**split, "tokens": 2 * LENGTH, "loss_by_position": losses}
    path.write_text(
        json.dumps(
            {
                "parameters": 100,
                "validation": {str(LENGTH): validation},
                "validation_quarters": {"context_length": LENGTH, "losses": [1.0] * 4},
                "training": {**split, "context_length": LENGTH},
            }
        )
    )
    return path


def measured(folder: Path, scored_bytes: int, tokens: int = 2 * LENGTH) -> Path:
    path = folder / "corpus/tinystories/measures.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"scored_tokens": tokens, "scored_bytes": scored_bytes}))
    return path


def history(folder: Path, variant: str, seed: int, losses: dict[int, float]) -> Path:
    path = folder / f"runs/tinystories/leak/{variant}/seed{seed}/history.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(
            json.dumps({"step": step, "training_loss": 1.0, "validation_loss": loss}) + "\n"
            for step, loss in losses.items()
        )
    )
    return path


def values(table: pd.DataFrame, metric: str) -> list[float]:
    return table[table["metric"] == metric]["value"].tolist()


def test_bits_per_byte_are_the_bits_of_all_tokens_over_the_bytes(tmp_path: Path) -> None:
    path = evaluated(tmp_path, "gpt", 0, [math.log(8)] * LENGTH)
    table = observations.collect([path], measures=[measured(tmp_path, 4 * 2 * LENGTH)])
    assert values(table, "bits_per_byte") == pytest.approx([3 / 4])  # 3 bits for 4 bytes


def test_the_halves_of_a_window_are_seen_apart(tmp_path: Path) -> None:
    path = evaluated(tmp_path, "gpt", 0, [4.0] * 128 + [2.0] * 128)
    table = observations.collect([path], measures=[measured(tmp_path, 1000)])
    assert values(table, "loss_first_half") == [4.0]
    assert values(table, "loss_second_half") == [2.0]


def test_another_text_s_bytes_are_refused(tmp_path: Path) -> None:
    path = evaluated(tmp_path, "gpt", 0, [1.0] * LENGTH)
    with pytest.raises(UserError, match="scored 512 tokens, and the text that was measured has 9"):
        observations.collect([path], measures=[measured(tmp_path, 1000, tokens=9)])


def test_a_table_in_bits_per_byte_compares_by_them(tmp_path: Path) -> None:
    losses = {("mlp", 0): 3.0, ("mlp", 1): 3.2, ("gpt", 0): 2.0, ("gpt", 1): 2.1}
    paths = [evaluated(tmp_path, v, seed, [x] * LENGTH) for (v, seed), x in losses.items()]
    collected = observations.collect(paths, measures=[measured(tmp_path, 2 * LENGTH)])
    table = experiment_table(samples(collected, tmp_path), STORIES, "stories", "scores")
    by_variant = table.set_index("variant")
    bits = {key: x / math.log(2) for key, x in losses.items()}
    assert by_variant["bits_per_byte"]["gpt"] == pytest.approx(
        (bits["gpt", 0] + bits["gpt", 1]) / 2
    )
    gained = [bits["mlp", seed] - bits["gpt", seed] for seed in (0, 1)]
    assert by_variant["improvement"]["gpt"] == pytest.approx(sum(gained) / 2)
    assert by_variant["bits_per_byte_published"].to_dict() == {"mlp": 0.9326, "gpt": 0.6129}
    assert by_variant["improvement_published"]["gpt"] == 0.3197


def test_losses_at_the_steps_and_their_ratio(tmp_path: Path) -> None:
    runs = {
        "gpt_masked": [{100: 4.0, 200: 3.0, 300: 2.9, 500: 2.5}, {100: 4.2, 200: 3.2, 500: 2.7}],
        "gpt_unmasked": [{100: 4.0, 200: 0.3, 500: 0.025}, {100: 4.2, 200: 0.16, 500: 0.054}],
    }
    paths, histories = [], []
    for variant, by_seed in runs.items():
        for seed, losses in enumerate(by_seed):
            paths.append(evaluated(tmp_path, variant, seed, [1.0] * LENGTH))
            histories.append(history(tmp_path, variant, seed, losses))
    # One experiment's runs have one budget: the evaluations' addresses name it.
    moved = [Path(str(path).replace("/stories/", "/leak/")) for path in paths]
    for old, new in zip(paths, moved, strict=True):
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
    collected = observations.collect(moved, histories, steps=[100, 200, 500])
    table = experiment_table(samples(collected, tmp_path), LEAK, "leak", "steps")
    found = table.set_index(["variant", "step"])
    assert found["validation_loss"]["gpt_unmasked", 200] == pytest.approx(0.23)
    assert found["ratio"]["gpt_unmasked", 500] == pytest.approx((0.01 + 0.02) / 2)
    assert math.isnan(found["ratio"]["gpt_masked", 500])
    published = found["validation_loss_published"].dropna().to_dict()
    assert published == {
        ("gpt_masked", 500): 2.4512, ("gpt_unmasked", 100): 3.7958,
        ("gpt_unmasked", 200): 0.0763, ("gpt_unmasked", 500): 0.0165,
    }  # fmt: skip
    with pytest.raises(UserError, match="no entry at step 300"):
        observations.collect(moved, histories, steps=[300])


def test_gains_by_position_are_paired_by_seed(tmp_path: Path) -> None:
    paths = [
        evaluated(tmp_path, "mlp", 0, [5.0] + [4.0] * 255),
        evaluated(tmp_path, "mlp", 1, [6.0] + [4.0] * 255),
        evaluated(tmp_path, "gpt", 1, [5.5] + [3.0] * 255),
    ]
    table = experiment_table(read_losses(paths, LENGTH), STORIES, "stories", "positions")
    assert len(table) == 2 * LENGTH
    found = table.set_index(["variant", "position"])
    assert found["loss"]["mlp", 1] == 5.5
    assert found["improvement"]["gpt", 1] == 0.5
    assert found["improvement"]["gpt", 256] == 1.0
    assert found["seeds"]["gpt", 2] == 1
    with pytest.raises(UserError, match=r"seed0\.json: has no 64"):
        read_losses(paths, 64)


def sample(folder: Path, variant: str, seed: int, **changes: Any) -> Path:
    path = folder / f"samples/leak/{variant}/seed{seed}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"prompt": "Once", "text": ' a\n"time"', "tokens": 9, "distinct_tokens": 3}
    path.write_text(json.dumps({**content, "ended": False, **changes}))
    return path


def test_what_runs_wrote_is_kept_to_the_letter_in_the_rows_order(tmp_path: Path) -> None:
    paths = [sample(tmp_path, "gpt_unmasked", 0), sample(tmp_path, "gpt_masked", 1, ended=True)]
    output = tmp_path / "leak_samples.csv"
    continuations.run(continuations=paths, settings=LEAK, output=output)
    table = pd.read_csv(output)
    assert table["variant"].tolist() == ["gpt_masked", "gpt_unmasked"]
    assert table["ended"].tolist() == ["yes", "no"]
    assert table["text"][1] == ' a\n"time"'


def test_different_tokens_are_observed(tmp_path: Path) -> None:
    path = evaluated(tmp_path, "gpt_unmasked", 2, [1.0] * LENGTH)
    table = observations.collect([path], samples=[sample(tmp_path, "gpt_unmasked", 2)])
    row = table[table["metric"] == "distinct_tokens"].iloc[0]
    assert (row["value"], row["seed"], row["corpus"]) == (3.0, 2, "tinystories")
