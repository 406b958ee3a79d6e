"""A run that finished unheard is taken over; another run is not taken for it."""

import json
from pathlib import Path

import numpy as np
import pytest

from rungs.cli import main
from rungs.code import code_digest
from rungs.corpus.tokens import save_tokens
from rungs.errors import UserError
from rungs.model.architecture import Architecture
from rungs.records import finished
from rungs.training.budget import Budget
from rungs.training.pieces import unused_by_run

RUN = Path("results/runs/tales/short/one/seed0")
KEPT = finished.FINISHED / RUN
BUDGET = {
    "steps": 6, "batch_size": 2, "context_length": 8, "validate_every": 3, "learning_rate": 0.001,
}  # fmt: skip


@pytest.fixture(autouse=True)
def workflow_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".snakemake").mkdir()
    text = np.random.default_rng(0).integers(0, 300, 4_000).astype(np.uint16)
    save_tokens(Path("train.npy"), text[:3_000])
    save_tokens(Path("validation.npy"), text[3_000:])
    Path("summary.json").write_text('{"vocabulary": 300}')


def words(seed: int = 0) -> list[str]:
    architecture = Architecture(width=16, mixer="attention", heads=2)
    budget = Budget.model_validate(BUDGET)
    code = code_digest("rungs.training.train", unused_by_run(architecture, budget))
    return [
        *("train", "--train", "train.npy", "--validation", "validation.npy"),
        *(
            "--corpus",
            "summary.json",
            "--architecture",
            architecture.canonical(),
            "--seed",
            str(seed),
        ),
        *("--budget", budget.canonical(), "--device", "cpu"),
        *("--code", code, "--checkpoints", ".rungs/checkpoints", "--output", str(RUN)),
    ]


def unheard() -> dict[str, bytes]:
    """Train, and delete the results as a Snakemake does that did not hear of it."""
    assert main(words()) == 0
    files = {path.name: path.read_bytes() for path in RUN.iterdir()}
    for path in RUN.iterdir():
        path.unlink()
    return files


def test_an_unheard_end_is_taken_over(capsys: pytest.CaptureFixture[str]) -> None:
    files = unheard()
    assert main(words()) == 0
    assert "had trained it to its end; taken over" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in RUN.iterdir()} == files
    assert not list(Path(".rungs/leases").rglob("*.json"))


def test_another_seed_is_trained(capsys: pytest.CaptureFixture[str]) -> None:
    unheard()
    assert main(words(seed=1)) == 0
    assert "6 steps" in capsys.readouterr().out.splitlines()[-1]
    assert json.loads((RUN / "run.json").read_text())["seed"] == 1


@pytest.mark.parametrize(
    "key", ["architecture", "budget", "vocabulary", "train_sha256", "code", "torch", "device"]
)
def test_a_run_that_is_another_in_anything_is_trained(
    key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    unheard()
    description = json.loads((KEPT / finished.DESCRIPTION).read_text())
    (KEPT / finished.DESCRIPTION).write_text(json.dumps({**description, key: "another"}))
    assert main(words()) == 0
    assert "6 steps" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("damage", ["weights", "description"])
def test_what_was_damaged_is_trained_again(damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = unheard()
    if damage == "weights":
        (KEPT / finished.WEIGHTS).write_bytes(b"")
    else:
        (KEPT / finished.DESCRIPTION).unlink()
    assert main(words()) == 0
    assert "6 steps" in capsys.readouterr().out.splitlines()[-1]
    assert (RUN / finished.WEIGHTS).read_bytes() == files[finished.WEIGHTS]


def test_what_was_heard_of_is_forgotten(capsys: pytest.CaptureFixture[str]) -> None:
    unheard()
    finished.forget()
    assert main(words()) == 0
    assert "6 steps" in capsys.readouterr().out.splitlines()[-1]


def test_a_stage_by_hand_keeps_nothing() -> None:
    Path(".snakemake").rmdir()
    assert main(words()) == 0
    assert not Path(".rungs").exists()


def test_files_finished_unheard_are_removed_unless_they_are_recorded() -> None:
    for name in ("heard", "unheard", "next", "older"):
        Path(name).touch()
    finished.plan(["heard", "unheard", "next", "never"], [])
    with pytest.raises(UserError, match="no Snakemake was there to record how: 1 files"):
        finished.plan(["next"], ["unheard", "next", "older", "never"])
    assert {path.name for path in Path().iterdir()} >= {"heard", "next", "older"}
    assert not Path("unheard").exists()
    finished.plan(["next"], ["unheard", "next", "older", "never"])
    finished.forget()
    assert not list(Path(".rungs").iterdir())
