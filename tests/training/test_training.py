"""Training: the chapter's update in other words, exact resumption, batches by seed and step."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from rungs.errors import UserError
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.batches import training_batch
from rungs.training.budget import Budget
from rungs.training.checkpoint import (
    Progress,
    load_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
)
from rungs.training.loop import train
from rungs.training.optimizer import AdamW

TEXT = np.random.default_rng(0).integers(0, 30, 2_000).astype(np.uint16)
BUDGET = Budget(steps=12, batch_size=4, context_length=16, validate_every=5, warmup_steps=3)
ONE_BLOCK = Architecture(
    width=16, mixer="attention", heads=2, feed_forward=True, normalization="pre", dropout=0.1
)


def fresh(architecture: Architecture = ONE_BLOCK) -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(architecture, 30)


def trained(folder: Path, stop_after: int | None = None) -> tuple[LanguageModel, list[dict]]:
    model, run = run_of(folder, stop_after)
    return model, run.history


def run_of(folder: Path, stop_after: int | None = None) -> tuple[LanguageModel, Progress]:
    model = fresh()
    steps = iter(range(1, 100))
    run = train(
        model, BUDGET, 0, TEXT, TEXT[:100], folder / "checkpoint.safetensors",
        stop_requested=lambda: next(steps) == stop_after,
    )  # fmt: skip
    return model, run


def without_rates(history: list[dict]) -> list[dict]:
    return [{k: v for k, v in entry.items() if k != "tokens_per_second"} for entry in history]


@pytest.mark.parametrize("stops", [[1], [5], [3, 4, 2]])
def test_an_interrupted_run_ends_bit_for_bit_like_an_uninterrupted_one(
    tmp_path: Path, stops: list[int]
) -> None:
    expected, expected_history = trained(tmp_path / "whole")
    for stop in stops:
        with pytest.raises(UserError, match="run again to continue"):
            trained(tmp_path / "stopped", stop)
    resumed, history = trained(tmp_path / "stopped")
    for name, parameter in expected.named_parameters():
        assert torch.equal(parameter, resumed.get_parameter(name)), name
    assert without_rates(history) == without_rates(expected_history)


def test_the_time_of_a_run_is_that_of_all_its_processes(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run_of(tmp_path, 4)
    model, checkpoint = fresh(), tmp_path / "checkpoint.safetensors"
    optimizer = AdamW(model.parameters(), BUDGET.weight_decay, BUDGET.moments)
    stopped = load_checkpoint(checkpoint, model, optimizer)
    assert stopped is not None
    assert stopped.seconds > 0 < stopped.core_seconds
    hours = replace(stopped, seconds=7_200.0, core_seconds=3_600.0)
    save_checkpoint(checkpoint, model, optimizer, hours)
    _, resumed = run_of(tmp_path)
    assert 7_200 < resumed.seconds < 7_900
    assert 3_600 < resumed.core_seconds < 4_300


def test_a_truncated_checkpoint_is_ignored(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        trained(tmp_path, stop_after=6)
    checkpoint = tmp_path / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    resumed, _ = trained(tmp_path)
    expected, _ = trained(tmp_path / "whole")
    assert torch.equal(resumed.output.weight, expected.output.weight)


def test_training_is_adamw_on_cross_entropy(tmp_path: Path) -> None:
    """The same losses from torch's plain, unfused AdamW and cross entropy."""
    architecture = ONE_BLOCK.model_copy(update={"dropout": 0.0})
    budget = BUDGET.model_copy(update={"validate_every": 1})
    run = train(
        fresh(architecture),
        budget,
        3,
        TEXT,
        TEXT[:100],
        tmp_path / "c",
        stop_requested=lambda: False,
    )
    model = fresh(architecture)
    optimizer = torch.optim.AdamW(model.parameters(), fused=False, foreach=False)
    for step, entry in enumerate(run.history):
        optimizer.param_groups[0]["lr"] = 1e-3 * min(1.0, (step + 1) / 3)
        inputs, targets = training_batch(TEXT, BUDGET, 3, step)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        assert entry["training_loss"] == pytest.approx(loss.item(), rel=1e-5)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_history_has_an_entry_at_each_interval_and_at_the_end(tmp_path: Path) -> None:
    _, history = trained(tmp_path)
    assert [entry["step"] for entry in history] == [5, 10, 12]


@given(seed=st.integers(0, 2**31 - 1), step=st.integers(0, 10**6))
def test_a_batch_depends_on_seed_and_step_alone(seed: int, step: int) -> None:
    inputs, targets = training_batch(TEXT, BUDGET, seed, step)
    again, _ = training_batch(TEXT, BUDGET, seed, step)
    other_seed, _ = training_batch(TEXT, BUDGET, seed + 1, step)
    other_step, _ = training_batch(TEXT, BUDGET, seed, step + 1)
    assert torch.equal(inputs, again)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    assert not torch.equal(inputs, other_seed)
    assert not torch.equal(inputs, other_step)


def test_batches_reach_both_ends_of_the_text() -> None:
    text = np.arange(20, dtype=np.uint16)
    batches = [
        training_batch(text, Budget(batch_size=64, context_length=16), 0, step) for step in range(5)
    ]
    assert min(inputs.min() for inputs, _ in batches) == 0
    assert max(targets.max() for _, targets in batches) == 19


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_weights(path, fresh())
    load_weights(path, fresh())
    with pytest.raises(UserError, match="another architecture"):
        load_weights(path, fresh(Architecture(width=16)))
    with pytest.raises(UserError, match="another architecture"):
        load_weights(path, fresh(ONE_BLOCK.model_copy(update={"width": 32})))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(UserError, match="cut short"):
        load_weights(path, fresh())


def test_tied_weights_survive_a_file(tmp_path: Path) -> None:
    tied = Architecture(width=16, tied_output=True)
    model = fresh(tied)
    save_weights(tmp_path / "model.safetensors", model)
    other = LanguageModel(tied, 30)
    load_weights(tmp_path / "model.safetensors", other)
    assert torch.equal(other.output.weight, model.embedding.weight)
