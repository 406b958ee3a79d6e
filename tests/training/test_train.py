"""The stage `train` as a process: killed in any way, it ends with the same weights."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rungs.cli import main
from rungs.corpus.tokens import save_tokens


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    text = np.random.default_rng(0).integers(0, 300, 20_000).astype(np.uint16)
    save_tokens(folder / "train.npy", text[:18_000])
    save_tokens(folder / "validation.npy", text[18_000:])
    (folder / "summary.json").write_text('{"vocabulary": 300}')
    return folder


def words(corpus: Path, folder: Path, steps: int = 400, **architecture: object) -> list[str]:
    shape = {"width": 16, "mixer": "attention", "heads": 2, "dropout": 0.1, **architecture}
    budget = {"steps": steps, "batch_size": 4, "context_length": 32, "validate_every": 100}
    return [
        "train",
        *("--train", str(corpus / "train.npy"), "--validation", str(corpus / "validation.npy")),
        *("--corpus", str(corpus / "summary.json"), "--seed", "0", "--device", "cpu"),
        *("--architecture", json.dumps(shape), "--budget", json.dumps(budget)),
        *("--checkpoints", str(folder / "checkpoints"), "--output", str(folder / "run")),
        *("--log", str(folder / "train.log")),
    ]


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rungs", *command], stderr=subprocess.PIPE, text=True
    )


def weights(folder: Path) -> bytes:
    return (folder / "run/model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert start(words(corpus, folder)).wait() == 0
    return folder


def test_a_run_is_described(undisturbed: Path) -> None:
    description = json.loads((undisturbed / "run/run.json").read_text())
    assert description["parameters"] == 300 * 16 * 2 + 300 + 4 * 16**2 + 16
    assert description["architecture"]["dropout"] == 0.1
    history = [json.loads(line) for line in (undisturbed / "run/history.jsonl").open()]
    assert [entry["step"] for entry in history] == [100, 200, 300, 400]
    assert all(entry["tokens_per_second"] > 0 for entry in history)
    log = (undisturbed / "train.log").read_text()
    assert "step 400 of 400" in log
    assert "s left" in log
    assert not list(undisturbed.glob("checkpoints/*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_run_ends_with_the_same_weights(
    corpus: Path, undisturbed: Path, tmp_path: Path, number: signal.Signals
) -> None:
    command = words(corpus, tmp_path)
    process = start(command)
    log = tmp_path / "train.log"
    while not log.exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(number)
    _, errors = process.communicate()
    if process.returncode == 2:
        assert "run again to continue" in errors
    assert start(command).wait() == 0
    assert weights(tmp_path) == weights(undisturbed)


@pytest.mark.parametrize("validate_every", [1, 250])
def test_a_run_that_diverges_ends_there_and_says_so(
    corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, validate_every: int
) -> None:
    command = words(corpus, tmp_path, steps=30)
    budget = {
        "steps": 30, "batch_size": 4, "context_length": 32, "learning_rate": 1e11,
        "validate_every": validate_every,
    }  # fmt: skip
    command[command.index("--budget") + 1] = json.dumps(budget)
    assert main(command) == 0
    assert "training diverged; lower the budget's learning_rate" in caplog.text
    step = json.loads((tmp_path / "run/run.json").read_text())["diverged_at_step"]
    assert 1 <= step < 30
    assert f"diverged at step {step}" in caplog.text
    history = [
        json.loads(line) for line in (tmp_path / "run/history.jsonl").read_text().splitlines()
    ]
    assert [entry["step"] for entry in history] == list(range(validate_every, step, validate_every))
    assert not list((tmp_path / "checkpoints").glob("*")), "there is nothing to continue"


@pytest.mark.parametrize(
    ("split", "problem"),
    [("train", "one training window of 32"), ("validation", "one window of 32 and its next token")],
)
def test_a_corpus_shorter_than_a_window_is_refused(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], split: str, problem: str
) -> None:
    for name in ("train.npy", "validation.npy", "summary.json"):
        (tmp_path / name).write_bytes((corpus / name).read_bytes())
    save_tokens(tmp_path / f"{split}.npy", np.zeros(32, np.uint16))
    assert main(words(tmp_path, tmp_path)) == 2
    assert f"32 tokens do not fill {problem}" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("split", ["train", "validation"])
def test_tokens_of_another_vocabulary_are_refused(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], split: str
) -> None:
    for name in ("train.npy", "validation.npy", "summary.json"):
        (tmp_path / name).write_bytes((corpus / name).read_bytes())
    save_tokens(tmp_path / f"{split}.npy", np.full(100, 300, np.uint16))
    assert main(words(tmp_path, tmp_path)) == 2
    assert f"{split}.npy: has a token 300, and its corpus has only 300" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
