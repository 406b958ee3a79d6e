"""An archive keeps what runs wrote down, byte for byte, and is read only where it fits."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rungs.archive.archived import read_archive, read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.cli import main
from rungs.config import read_config
from rungs.configuration.schema import Run
from rungs.corpus.tokens import save_tokens
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import read_json, write_json
from rungs.model.architecture import Architecture
from rungs.planning.memory import parameters
from tests.workflow.workflow import ROOT

RUN = Run("shakespeare", "window_128", "one_block", 0)
ADDRESS = "shakespeare/window_128/one_block/seed0"
CONFIG = read_config(ROOT / "config.yaml")
EARLIER = '{"step": 250, "training_loss": 4.1, "validation_loss": 1e-07}\n'
HISTORY = EARLIER + '{"step": 3000, "training_loss": 3.4, "validation_loss": 3.5}\n'
WEIGHTS = "beef" * 16


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of results with one finished run, and one that is not evaluated."""
    folder = tmp_path / "results"
    tokens = np.arange(100, dtype=np.uint16)
    for split in ("train", "validation"):
        save_tokens(folder / f"corpus/shakespeare/{split}.npy", tokens)
    digest = file_digest(folder / "corpus/shakespeare/train.npy")
    run = {
        "architecture": json.loads(CONFIG.variants["one_block"].architecture()),
        "budget": json.loads(CONFIG.budgets["window_128"].canonical()),
        "train_sha256": digest,
        "validation_sha256": digest,
        "device": "CPU (AVX2, one thread)",
        "vocabulary": 1_000,
        "weights_sha256": WEIGHTS,
    }
    run["parameters"] = parameters(Architecture.model_validate(run["architecture"]), 1_000)
    for seed in (0, 1):
        path = folder / f"runs/shakespeare/window_128/one_block/seed{seed}/run.json"
        write_json(path, {**run, "seed": seed})
    (folder / f"runs/{ADDRESS}/history.jsonl").write_text(HISTORY)
    score = {"loss": 3.5, "perplexity": math.exp(3.5)}
    evaluation = {
        "parameters": run["parameters"],
        "weights_sha256": WEIGHTS,
        "validation": {"64": score, "128": score},
        "training": score,
    }
    write_json(folder / f"evaluations/{ADDRESS}.json", evaluation)
    return folder


def archive(results: Path) -> Path:
    folder = results.with_name("archive")
    assert main(["archive", "--results", str(results), str(folder)]) == 0
    return folder


def take(results: Path, archived: Path, output: Path) -> int:
    corpus = results / "corpus/shakespeare"
    return main(
        [
            *("take-from-archive", "--archived", str(archived), "--output", str(output / "run")),
            *("--train", str(corpus / "train.npy")),
            *("--validation", str(corpus / "validation.npy")),
            *("--evaluation", str(output / "evaluation.json")),
        ]
    )


def test_what_is_taken_is_what_was_written(results: Path, tmp_path: Path) -> None:
    archived = archive(results) / f"{ADDRESS}.json"
    assert take(results, archived, tmp_path / "taken") == 0
    for taken, written in {
        "run/run.json": f"runs/{ADDRESS}/run.json",
        "run/history.jsonl": f"runs/{ADDRESS}/history.jsonl",
        "evaluation.json": f"evaluations/{ADDRESS}.json",
    }.items():
        assert (tmp_path / "taken" / taken).read_bytes() == (results / written).read_bytes()
    assert [path.name for path in (tmp_path / "archive").rglob("*.json")] == ["seed0.json"]


@pytest.mark.parametrize("of_this_run", [True, False])
def test_only_weights_of_the_run_that_is_taken_stay(
    results: Path, tmp_path: Path, of_this_run: bool
) -> None:
    weights = tmp_path / "taken/run/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"weights")
    if of_this_run:
        for path in (f"runs/{ADDRESS}/run.json", f"evaluations/{ADDRESS}.json"):
            described = read_json(results / path) | {"weights_sha256": file_digest(weights)}
            write_json(results / path, described)
    assert take(results, archive(results) / f"{ADDRESS}.json", tmp_path / "taken") == 0
    assert weights.exists() == of_this_run


def test_an_archive_grows(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive(results)
    assert "1 added of 1 run" in capsys.readouterr().out
    history = results / f"runs/{ADDRESS}/history.jsonl"
    (results / f"runs/{ADDRESS[:-1]}1/history.jsonl").write_bytes(history.read_bytes())
    evaluation = results / f"evaluations/{ADDRESS}.json"
    evaluation.with_name("seed1.json").write_bytes(evaluation.read_bytes())
    history.write_text(EARLIER + HISTORY)
    archive(results)
    said = capsys.readouterr().out
    assert "1 added, 1 replaced of 2 runs" in said
    assert f"{ADDRESS}.json: 3,000 steps on CPU (AVX2, one thread) there, replaced by 3,000" in said
    archive(results)
    assert "2 unchanged of 2 runs" in capsys.readouterr().out


def test_an_archive_outlives_the_results(results: Path) -> None:
    before = archive(results)
    (results / f"evaluations/{ADDRESS}.json").unlink()
    (results / f"runs/{ADDRESS}/run.json").unlink()
    assert main(["archive", "--results", str(results), str(before)]) == 2
    assert read_archived(before / f"{ADDRESS}.json").run["weights_sha256"] == WEIGHTS


def test_an_evaluation_of_other_weights_is_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(results / f"evaluations/{ADDRESS}.json", {"weights_sha256": "dead" * 16})
    assert main(["archive", "--results", str(results), str(tmp_path / "archive")]) == 2
    assert f"{ADDRESS}.json: is of other weights than" in capsys.readouterr().err


def test_a_run_on_other_tokens_is_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archived = archive(results) / f"{ADDRESS}.json"
    save_tokens(results / "corpus/shakespeare/validation.npy", np.zeros(9, dtype=np.uint16))
    assert take(results, archived, tmp_path / "taken") == 2
    assert "is of other validation tokens than" in capsys.readouterr().err
    assert not (tmp_path / "taken").exists()


def test_only_runs_with_the_configured_settings_are_taken(results: Path) -> None:
    folder = archive(results)
    assert read_archive(CONFIG, folder) == ({RUN}, set())
    for change in (
        "budgets={window_128: {steps: 2999}}",
        "variants={one_block: {heads: 2}}",
        "context_lengths=[32, 64, 128, 256]",
        "seeds=[1]",
    ):
        changed = read_config(ROOT / "config.yaml", values=[change])
        unlike = set() if change.startswith("seeds") else {RUN}
        assert read_archive(changed, folder) == (set(), unlike)
    reordered = read_config(ROOT / "config.yaml", values=["seeds=[1, 0]"])
    assert read_archive(reordered, folder).taken == {RUN}


def test_a_run_does_not_pass_as_another_seed(results: Path) -> None:
    folder = archive(results)
    copy = folder / f"{ADDRESS[:-1]}1.json"
    copy.write_bytes((folder / f"{ADDRESS}.json").read_bytes())
    assert read_archive(CONFIG, folder) == ({RUN}, {RUN._replace(seed=1)})


def test_a_missing_archive_is_named(results: Path) -> None:
    named = CONFIG.model_copy(update={"archive": "nowhere"})
    with pytest.raises(UserError, match=r"archive: nowhere does not exist; give a folder"):
        read_archive(named, results / "absent")
    with pytest.raises(UserError, match=r"archive: nowhere is not a folder"):
        read_archive(named, results / f"evaluations/{ADDRESS}.json")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"run": {}}', r"is damaged \(history: Field required\)"),
        ('{"run": {}, "history": [{}], "evaluation": {"validation": "x"}, "samples": {}}',
         r"is damaged \(evaluation: .*not an object of context lengths\)"),
        ('{"run": {"steps', r"is damaged, not valid JSON \(Unterminated string"),
        ("", "is damaged, not valid JSON"),
        (b"\xff\xfe\x00", "is damaged, not valid JSON"),
        (None, r"cannot be read \(Is a directory\)"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_where_it_is_taken(
    results: Path, content: str | bytes | None, problem: str
) -> None:
    folder = archive(results)
    damaged = folder / f"{ADDRESS}.json"
    damaged.unlink()
    if content is None:
        damaged.mkdir()
    else:
        damaged.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert read_archive(CONFIG, folder) == ({RUN}, set())
    way_out = "; get it again, or delete it to train the run here"
    with pytest.raises(UserError, match=rf"seed0\.json: {problem}.*{way_out}"):
        read_archived(damaged)


def test_nothing_is_replaced_before_all_is_read(results: Path) -> None:
    folder = archive(results)
    second = f"{ADDRESS[:-1]}1"
    evaluation = results / f"evaluations/{ADDRESS}.json"
    evaluation.with_name("seed1.json").write_bytes(evaluation.read_bytes())
    (results / f"runs/{second}/history.jsonl").write_text("{")
    (results / f"runs/{ADDRESS}/history.jsonl").write_text(EARLIER + HISTORY)
    before = (folder / f"{ADDRESS}.json").read_bytes()
    assert main(["archive", "--results", str(results), str(folder)]) == 2
    assert (folder / f"{ADDRESS}.json").read_bytes() == before


def test_an_archive_lies_beside_the_results(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", "--results", str(results), str(results / "kept")]) == 2
    assert "lies in the results; give a folder beside them" in capsys.readouterr().err


def test_results_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", "--results", str(tmp_path / "no"), str(tmp_path / "archive")]) == 2
    assert "no: there is no such folder" in capsys.readouterr().err


def test_what_is_no_number_is_refused(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archived = archive(results) / f"{ADDRESS}.json"
    archived.write_text(archived.read_text().replace("1e-07", "NaN"))
    assert take(results, archived, results / "taken") == 2
    assert f"{archived}: is damaged, not valid JSON (Out of range" in capsys.readouterr().err


def of_other_weights(run: dict[str, Any]) -> None:
    run["evaluation"]["weights_sha256"] = "0" * 64


def too_good(run: dict[str, Any]) -> None:
    run["evaluation"]["validation"]["128"]["perplexity"] = 0.0001


def too_good_throughout(run: dict[str, Any]) -> None:
    run["evaluation"]["validation"]["64"] = {"loss": math.log(0.0001), "perplexity": 0.0001}


def too_bad_for_a_float(run: dict[str, Any]) -> None:
    run["evaluation"]["validation"]["64"]["loss"] = 710.0


def better_than_it_was_trained(run: dict[str, Any]) -> None:
    run["evaluation"]["validation"]["128"] = {"loss": 2.5, "perplexity": math.exp(2.5)}


def another_size(run: dict[str, Any]) -> None:
    run["run"]["parameters"] += 1


def diverge(results: Path, history: str = "") -> None:
    """Let the run diverge at step 300."""
    for name, kept in ((f"runs/{ADDRESS}/run.json", None), (f"evaluations/{ADDRESS}.json", 2)):
        found = read_json(results / name)
        write_json(results / name, dict(list(found.items())[:kept]) | {"diverged_at_step": 300})
    (results / f"runs/{ADDRESS}/history.jsonl").write_text(history)


@pytest.mark.parametrize("history", ["", EARLIER])
def test_a_run_that_diverged_is_kept_and_taken(history: str, results: Path, tmp_path: Path) -> None:
    diverge(results, history)
    archived = archive(results) / f"{ADDRESS}.json"
    assert RUN in read_archive(CONFIG, tmp_path / "archive").taken
    assert take(results, archived, tmp_path / "taken") == 0
    assert (tmp_path / "taken/run/history.jsonl").read_text() == history
    assert read_json(tmp_path / "taken/evaluation.json")["diverged_at_step"] == 300


@pytest.mark.parametrize(
    ("part", "change", "problem"),
    [
        ("run", {"diverged_at_step": None}, "evaluation.diverged_at_step is 300, and run.diver"),
        ("run", {"diverged_at_step": 200}, "evaluation.diverged_at_step is 300, and run.diver"),
        ("evaluation", {"training": {}}, "training is there beside evaluation.diverged_at_step"),
        ("history", [{"step": 300}], "the history ends at step 300, and the run diverged at 300"),
    ],
)
def test_a_divergence_whose_parts_disagree_is_refused(
    part: str, change: Any, problem: str, results: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    diverge(results)
    archived = archive(results) / f"{ADDRESS}.json"
    run = read_json(archived)
    run[part] = change if part == "history" else run[part] | change
    write_json(archived, run)
    assert take(results, archived, tmp_path / "taken") == 2
    assert problem in capsys.readouterr().err


def cut_history(run: dict[str, Any]) -> None:
    run["history"].pop()


def no_digest(run: dict[str, Any]) -> None:
    run["run"]["train_sha256"] = "0"


def trained_nowhere(run: dict[str, Any]) -> None:
    del run["run"]["device"]


def without_a_score(run: dict[str, Any]) -> None:
    del run["evaluation"]["training"]["perplexity"]


def a_number_as_text(run: dict[str, Any]) -> None:
    run["evaluation"]["validation"]["64"]["loss"] = "3.5"


def more_than_all_answers(run: dict[str, Any]) -> None:
    run["evaluation"]["metrics"] = {"accuracy": 101.0}


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (of_other_weights, "evaluation.weights_sha256 is not run.weights_sha256"),
        (too_good, "validation.128.perplexity is 0.0001, not the exponential of its loss"),
        (too_good_throughout, "validation.64.loss is -9.21"),
        (too_bad_for_a_float, "validation.64.loss is 710.0, and not from 0 to 709.8"),
        (better_than_it_was_trained, "validation.128.loss is 2.5 and the history ends at 3.5"),
        (another_size, "the architecture has"),
        (cut_history, "the history ends at step 250 of 3000"),
        (no_digest, "run.train_sha256 is not a SHA-256"),
        (trained_nowhere, "device is missing"),
        (without_a_score, "perplexity is missing"),
        (a_number_as_text, "a value is of another kind than its stage writes"),
        (more_than_all_answers, "metrics.accuracy is 101.0; it is a percentage"),
    ],
)
def test_what_no_stage_can_have_written_is_not_taken(
    edit: Callable[[dict[str, Any]], None],
    problem: str,
    results: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    archived = archive(results) / f"{ADDRESS}.json"
    run = read_json(archived)
    edit(run)
    write_json(archived, run)
    assert take(results, archived, tmp_path / "taken") == 2
    said = capsys.readouterr().err
    assert f"{archived}: is damaged or edited: " in said
    assert problem in said
    assert not (tmp_path / "taken").exists()


@pytest.mark.parametrize("archive", sorted((ROOT / "reference").glob("**/archive/**/seed*.json")))
def test_the_shipped_archives_are_plausible(archive: Path) -> None:
    refuse_implausible(archive, read_archived(archive))
