"""Runs of earlier code are proved to be of today's by training one anew, or found to differ."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rungs.archive.archived import ArchivedRun
from rungs.archive.proofs import Proof, equal_versions, read_proofs
from rungs.archive.prove import unproved_versions
from rungs.cli import main
from rungs.corpus.tokens import save_tokens
from rungs.files import read_json, write_json

ROOT = Path(__file__).parents[2]
ADDRESS = "tales/short/model/seed3"
BUDGET = {"steps": 12, "batch_size": 2, "context_length": 8, "validate_every": 5}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of one run, made by this code and said to be of another."""
    corpus = tmp_path / "results/corpus/tales"
    tokens = np.random.default_rng(0).integers(0, 20, 300).astype(np.uint16)
    save_tokens(corpus / "train.npy", tokens[:200])
    save_tokens(corpus / "validation.npy", tokens[200:])
    write_json(corpus / "summary.json", {"vocabulary": 20})
    command = [
        *("train", "--train", str(corpus / "train.npy"), "--seed", "3"),
        *("--validation", str(corpus / "validation.npy")),
        *("--corpus", str(corpus / "summary.json"), "--architecture", '{"mixer": "attention"}'),
        *("--budget", json.dumps(BUDGET), "--output", str(tmp_path / "run")),
        *("--checkpoints", str(tmp_path / "checkpoints")),
    ]
    assert main(command) == 0
    lines = (tmp_path / "run/history.jsonl").read_text().splitlines()
    archived = ArchivedRun(
        run={**read_json(tmp_path / "run/run.json"), "code": "0ld"},
        history=[json.loads(line) for line in lines],
        evaluation={},
        samples={},
    )
    write_json(tmp_path / f"archive/{ADDRESS}.json", archived.model_dump())
    return tmp_path / "archive"


def prove(archive: Path) -> int:
    return main(["prove", str(archive), "--results", str(archive.with_name("results"))])


def test_a_run_that_comes_out_the_same_proves_its_version_equal(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ((recorded, today),) = unproved_versions(archive)
    assert prove(archive) == 0
    (proof,) = read_proofs(archive / "proofs.json")
    assert (proof.recorded, proof.found, proof.run, proof.steps) == (recorded, today, ADDRESS, 5)
    assert "1 equal" in capsys.readouterr().out
    assert not unproved_versions(archive)
    assert prove(archive) == 0
    assert "every run is of this code" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["training_loss", "validation_loss"])
def test_the_last_bit_of_a_loss_is_a_difference(
    archive: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    path = archive / f"{ADDRESS}.json"
    content = read_json(path)
    content["history"][0][key] = float(np.nextafter(content["history"][0][key], 0))
    write_json(path, content)
    assert prove(archive) == 1
    assert f"0 equal; other numbers than {ADDRESS}: " in capsys.readouterr().out
    assert not (archive / "proofs.json").exists()
    assert unproved_versions(archive)


def test_a_run_of_another_device_proves_nothing(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = archive / f"{ADDRESS}.json"
    content = read_json(path)
    content["run"]["device"] = "abacus"
    write_json(path, content)
    assert prove(archive) == 0
    assert "1 not of this device" in capsys.readouterr().out
    assert unproved_versions(archive)


def test_a_checkout_of_the_earlier_code_is_run_beside_this_one(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever processor made the archived numbers."""
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "src/rungs", checkout / "src/rungs")
    _edit(
        checkout / "src/rungs/training/loop.py",
        "    until = until or",
        "    _ = 0\n    until = until or",
    )
    path = archive / f"{ADDRESS}.json"
    content = read_json(path)
    content["run"]["code"] = _digest(checkout, content["run"])
    content["history"][0]["training_loss"] += 1e-9
    content["run"]["device"] = "another"
    write_json(path, content)
    command = ["prove", str(archive), "--results", str(archive.with_name("results"))]
    assert main([*command, "--checkout", str(checkout)]) == 0
    (proof,) = read_proofs(archive / "proofs.json")
    assert (proof.recorded, proof.run) == (content["run"]["code"], ADDRESS)
    # A run of still earlier code, proved equal to the checkout's when that was today's.
    earlier = proof._replace(recorded="0" * 16, found=proof.recorded)
    write_json(archive / "proofs.json", [earlier._asdict()])
    write_json(path, content | {"run": content["run"] | {"code": "0" * 16}})
    assert main([*command, "--checkout", str(checkout)]) == 0
    assert read_proofs(archive / "proofs.json") == [earlier, proof]
    assert not unproved_versions(archive)
    write_json(path, content)
    (archive / "proofs.json").unlink()
    _edit(checkout / "src/rungs/training/optimizer.py", "eps=1e-8", "eps=2e-8")
    assert main([*command, "--checkout", str(checkout)]) == 0
    assert "1 not of this checkout" in capsys.readouterr().out
    assert main([*command, "--checkout", str(tmp_path)]) == 2
    assert "has no src/rungs/training" in capsys.readouterr().err
    content["run"]["code"] = _digest(checkout, content["run"])
    write_json(path, content)
    assert main([*command, "--checkout", str(checkout)]) == 1
    assert not (archive / "proofs.json").exists()


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _digest(checkout: Path, run: dict[str, object]) -> str:
    """Return the digest of a checkout's training code for a run."""
    source = "import sys, json; from rungs.archive.prove import version_today as v; "
    command = [sys.executable, "-c", f"{source}print(v(json.loads(sys.argv[1])))", json.dumps(run)]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    return subprocess.check_output(command, env=environment, text=True).strip()


def test_other_tokens_are_refused(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = archive.with_name("results") / "corpus/tales/train.npy"
    save_tokens(tokens, np.zeros(200, np.uint16))
    assert prove(archive) == 2
    assert f"{tokens}: is not what the archived run was trained on" in capsys.readouterr().err


def test_a_damaged_run_is_named(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = archive / f"{ADDRESS}.json"
    content = read_json(path)
    content["run"]["budget"]["steps"] = "many"
    write_json(path, content)
    assert prove(archive) == 2
    assert f"error: {path}: steps: Input should be a valid integer" in capsys.readouterr().err


def test_a_folder_without_runs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prove(tmp_path / "empty") == 2
    assert "has no archived run" in capsys.readouterr().err


def test_equal_is_symmetric_and_goes_on() -> None:
    pairs = [("a", "b"), ("c", "b"), ("c", "d"), ("e", "f")]
    proofs = [Proof(one, other, "", 1, "", "") for one, other in pairs]
    assert equal_versions(proofs, "a") == set("abcd")
    assert equal_versions(proofs, "e") == set("ef")
    assert equal_versions(proofs, "g") == {"g"}
