"""The plan as a user asks for it."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from rungs import cli
from rungs.config import read_config
from rungs.configuration.schema import Run
from rungs.planning.jobs import Job, jobs_to_run
from rungs.planning.machine import Calibration
from rungs.planning.scenarios import EVALUATIONS
from tests.planning.machines import MACHINE

ROOT = Path(__file__).parents[2]


def plan(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    calibration = folder / "machine.json"
    calibration.write_text(MACHINE.model_dump_json())
    command = [sys.executable, "-m", "rungs", "plan", *words, "--cores", "2"]
    command += ["--directory", str(folder), "--calibration", str(calibration)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.workflow
def test_the_whole_chapter(tmp_path: Path) -> None:
    result = plan(tmp_path, "--config", "seeds=[0, 1]", "--gpu-tflops", "10")
    assert result.returncode == 0, result.stderr
    rows = {line.split("  ")[0]: line.split() for line in result.stdout.splitlines() if line}
    config = read_config(ROOT / "config.yaml", values=["seeds=[0, 1]"])
    runs = {run for name in config.wanted() for run in config.runs(name)}
    assert rows["training"][1] == rows["evaluation"][1] == str(len(runs))
    assert rows["kernels"][1] == "16"
    assert rows["corpus"][1] == "10", "and each share that readings hold out"
    assert "on this machine with 2 cores" in result.stdout
    assert "10 TFLOP/s" in result.stdout
    assert not list(tmp_path.glob("results"))
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("cores", "lost", "said"),
    [
        (1, 0.02, ""),
        (1, 0.4, "other processes had its cores 40% of"),
        (4_096, 0.0, "not 4096: the time is of one that has"),
    ],
)
def test_what_makes_the_time_doubtful_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    cores: int, lost: float, said: str,
) -> None:  # fmt: skip
    measured = []

    def measure(processes: int) -> Calibration:
        measured.append(processes)
        return MACHINE.model_copy(update={"lost": lost})

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(
        "rungs.planning.plan.jobs_to_run", lambda words, folder: [Job("parameters", {})]
    )
    monkeypatch.setattr("rungs.planning.measure.measure", measure)
    assert cli.main(["plan", "--cores", str(cores), "--directory", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert said in printed
    assert ("busy machine" in printed) == (lost > 0.1)
    assert ("This machine has" in printed) == (cores > 1)
    assert measured[0] <= (os.cpu_count() or 1), "no more processes than cores"


@pytest.mark.workflow
def test_every_run_is_found_with_its_address(tmp_path: Path) -> None:
    words = ["--cores", "1", "--directory", str(tmp_path), "--snakefile", str(ROOT / "Snakefile")]
    jobs = jobs_to_run(words, tmp_path)
    config = read_config(ROOT / "config.yaml")
    expected = {run for name in config.wanted() for run in config.runs(name)}
    for rules in (["train"], EVALUATIONS):
        found = [
            Run(w["corpus"], w["budget"], w["variant"], int(w["seed"]))
            for w in (job.wildcards for job in jobs if job.rule in rules)
        ]
        assert Counter(found) == Counter(expected)
    points = {
        (job.wildcards["kernel"], int(job.wildcards["tokens"]))
        for job in jobs
        if job.rule == "kernel"
    }
    assert points == {(k, n) for k in config.kernels.kernels for n in config.kernels.tokens}


@pytest.mark.workflow
def test_snakemake_s_refusal_is_passed_on(tmp_path: Path) -> None:
    result = plan(tmp_path, "results/nonsense.csv")
    assert result.returncode == 2
    assert "results/nonsense.csv" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_no_calibration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({**MACHINE.model_dump(), "crowding": -1}))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("rungs.planning.plan.jobs_to_run", lambda words, folder: ["a job"])
    assert cli.main(["plan", "--calibration", str(file)]) == 2
    assert "machine.json: crowding: " in capsys.readouterr().err


def test_elsewhere_than_in_the_workflow_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["plan"]) == 2
    assert "has no Snakefile" in capsys.readouterr().err


def test_a_gpu_without_a_rate_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(
        "rungs.planning.plan.jobs_to_run", lambda words, folder: pytest.fail("asked")
    )
    assert cli.main(["plan", "--gpu-tflops", "0"]) == 2
    assert "--gpu-tflops: 0 is no rate; give more than 0" in capsys.readouterr().err


def test_a_finished_workflow_needs_no_calibration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("rungs.planning.plan.jobs_to_run", lambda words, folder: [])
    monkeypatch.setattr("rungs.planning.measure.measure", lambda processes: pytest.fail("measured"))
    assert cli.main(["plan"]) == 0
    assert "Nothing to do" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["rungs.planning.plan", "rungs.watching.watch"])
def test_nothing_heavy_is_imported(module: str) -> None:
    heavy = {"torch", "pandas", "scipy", "matplotlib", "snakemake"}
    code = f"import sys, {module}; sys.exit(', '.join({heavy} & sys.modules.keys()) or 0)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
