"""What a person sees of a run on the terminal, and through `watch`, of real Snakemake."""

import os
import re
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from rungs.records.events import last_invocation
from rungs.watching.state import look
from tests.workflow.workflow import ROOT, Workflow

pytestmark = pytest.mark.workflow

NOW = datetime.now()
TEXT = "results/corpus/stories/text.txt"


def test_a_finished_job_is_one_line_with_its_number(tmp_path: Path) -> None:
    workflow = Workflow(tmp_path, [ROOT / "config/preview.yaml"])
    result = workflow.run(TEXT)
    assert re.search(r"^[\d,]+ characters, [\d.]+ nats of entropy each$", result.stdout, re.M)
    assert "1 of 1 steps (100%) done" in result.stderr
    assert f"python -m rungs watch --directory {os.path.relpath(tmp_path, ROOT)}" in result.stderr
    for noise in ("Reason:", "Select jobs", "Execute 1 jobs", "Finished jobid", "Platform:"):
        assert noise not in result.stdout + result.stderr
    found = last_invocation(tmp_path)
    assert found is not None
    assert found.planned == {"generate": 1}
    assert [job.message for job in found.jobs.values()] == ["Generating the corpus stories"]
    assert found.done == {"generate": 1}
    (log,) = (tmp_path / ".snakemake/log").iterdir()
    assert "Reason: " in log.read_text()
    assert look(tmp_path, None, NOW).status == "finished"


def test_after_a_success_checkpoints_are_named_and_half_of_one_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / ".rungs/checkpoints"
    folder.mkdir(parents=True)
    whole, half = folder / "a.safetensors", folder / ".a.safetensors.abcd1234.safetensors"
    for path in (whole, half):
        path.write_bytes(bytes(2**20))
        os.utime(path, (0, 0))
    result = Workflow(tmp_path, [ROOT / "config/preview.yaml"]).run(TEXT)
    assert f"1 unfinished run, of other settings or targets, can go on from {folder} (1.0 MiB)" in (
        result.stderr
    )
    assert list(folder.iterdir()) == [whole]


def test_a_dry_run_still_says_why(tmp_path: Path) -> None:
    result = Workflow(tmp_path, [ROOT / "config/preview.yaml"]).run("--dry-run", TEXT)
    assert "Generating the corpus stories" in result.stderr + result.stdout
    assert f"Reason: Missing output files: {TEXT}" in result.stderr + result.stdout


def test_a_failed_job_shows_its_error_and_its_log(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "corpora: {shakespeare: {addresses: ['file:///nowhere/input.txt'], file_name: none.txt}}"
    )
    result = Workflow(tmp_path, [mine]).run("results/corpus/shakespeare/text.txt", check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 1
    assert "Error in rule download" in output
    assert "Logfile logs/corpus/shakespeare/download.log" in output
    assert "python -m rungs download" not in output, "its command may be a page long"
    *_, failed, way_out = output.partition("Complete log")[0].strip().splitlines()
    assert failed.startswith("failed: download: none.txt could not be downloaded")
    assert failed.endswith("; see logs/corpus/shakespeare/download.log")
    assert "the same command again" in way_out
    state = look(tmp_path, None, NOW)
    assert state.status == "stopped"
    assert state.invocation is not None
    (job,) = state.invocation.failures
    assert (job.rule, job.log) == ("download", "logs/corpus/shakespeare/download.log")


def test_a_killed_snakemake_is_dead_and_a_running_one_is_not(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--directory", str(tmp_path)]
    command += [TEXT, "--configfile", str(ROOT / "config/preview.yaml")]
    command += ["--config", "corpora={stories: {stories: 100000000}}"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **silent) as process:
        try:
            while process.poll() is None and not look(tmp_path, None, NOW).running:
                time.sleep(0.2)
            assert look(tmp_path, None, NOW).status == "running"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert look(tmp_path, None, NOW).status == "dead"


def test_short_runs_are_grouped_where_a_profile_asks_for_it(tmp_path: Path) -> None:
    preview = Workflow(tmp_path, [ROOT / "config/preview.yaml"])
    words = ("--dry-run", "results/positions.csv")
    alone = preview.run(*words)
    assert "Group job" not in alone.stdout + alone.stderr
    grouped = preview.run(*words, "--group-components", "runs_32=32")
    group = re.findall(r"Group job .*\n", grouped.stdout + grouped.stderr)
    assert len(group) == 1, "ten tiny runs are one cluster job, with their evaluations"
