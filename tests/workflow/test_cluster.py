"""On a real SLURM cluster, through the shipped profile: the same bytes, whatever happens."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import psutil
import pytest

from tests.workflow.lab import Lab, lab, until
from tests.workflow.processes import is_training, stoppable
from tests.workflow.tree import Tree
from tests.workflow.workflow import SNAKEMAKE

pytestmark = [pytest.mark.workflow, pytest.mark.cluster]

RUN = "results/runs/stories/window_64/rotary/seed0"
WEIGHTS = f"{RUN}/model.safetensors"
LOG = "logs/runs/stories/window_64/rotary/seed0.log"
# The shipped profile on a network file system of one machine, looked at more often.
PROFILE = (
    *("--workflow-profile", "profiles/slurm"),
    *("--slurm-init-seconds-before-status-checks", "3", "--max-status-checks-per-second", "1"),
    *("--latency-wait", "3"),
)
MINUTES = 480.0
"""Seconds in which anything here happens, on a busy machine too."""


class Head:
    """A Snakemake that submits jobs."""

    started: ClassVar[list[subprocess.Popen[str]]] = []

    def __init__(self, tree: Tree, *words: str) -> None:
        self.tree = tree
        self.log = tree.folder / f"head_{time.monotonic_ns()}.txt"
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [str(SNAKEMAKE), *PROFILE, *words], cwd=tree.folder, env=tree.environment(),
                stdout=output, stderr=subprocess.STDOUT, text=True,
                # Where the tests run in the background, SIGINT is ignored, and so it would be here.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )  # fmt: skip
        self.started.append(self.process)

    def said(self) -> str:
        """Return all it printed so far."""
        return self.log.read_text()

    def end(self) -> str:
        """Wait for its end; return all it printed."""
        self.process.wait(MINUTES)
        return self.said()

    def training(self, *others: psutil.Process) -> psutil.Process:
        """Wait for a job of its tree that trains, besides the others, and return it."""
        found: list[psutil.Process] = []
        started = time.monotonic()
        while not found:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() - started < MINUTES, self.said()
            time.sleep(0.05)
            found = [
                process
                for process in psutil.process_iter()
                if process not in others
                and is_training(process)
                and stoppable(process)
                and _folder(process) == str(self.tree.folder)
            ]
        return found[0]


def _folder(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return process.cwd()
    return ""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Lab]:
    with lab() as running:
        yield running
        for process in Head.started:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def ready(cluster: Lab, finished_tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A tree with a corpus, whose run takes a while and is still to be made. Copy it."""
    tree = finished_tree.copy(tmp_path_factory.mktemp("ready") / "clone")
    tree.configure("budgets.window_64.steps", 6_000)
    tree.configure("budgets.window_64.validate_every", 3_000)
    return tree


@pytest.fixture(scope="module")
def overdue(ready: Tree, cluster: Lab) -> Head:
    """A head whose run takes hours, and is over its time limit a minute after it started."""
    tree = ready.copy(ready.folder.with_name("overdue"))
    tree.configure("budgets.window_64.steps", 1_000_000)
    head = Head(tree, WEIGHTS)
    head.training()
    (number,) = _numbers(head)
    cluster.ask("scontrol", "update", f"JobId={number}", "TimeLimit=1")
    return head


def _numbers(head: Head) -> list[str]:
    return re.findall(r"submitted with SLURM jobid (\d+)", head.said())


def test_the_same_bytes_as_on_one_machine(
    cluster: Lab, finished_tree: Tree, tmp_path: Path
) -> None:
    tree = finished_tree.copy(tmp_path / "clone")
    for name in ("results", "logs", ".snakemake", ".rungs"):
        shutil.rmtree(tree.folder / name)
    head = Head(tree, "results/figures/positions.svg", "results/memory.csv", "results/variance.csv")
    output = head.end()
    assert head.process.returncode == 0, output
    made, expected = tree.content(), finished_tree.content()
    assert len(made) > 20
    assert made == {name: expected[name] for name in made}
    refused = "sacct: Slurm accounting storage is disabled"
    assert f"SLURM: the ends of jobs are noticed through squeue ({refused})" in output
    assert len(_numbers(head)) == 4, "the probe, the kernel, the tokens, and two runs together"
    assert list((tree.folder / "logs/slurm/rule_tokenize/stories").glob("*.log"))
    assert (tree.folder / LOG).exists()
    assert not list((tree.folder / ".rungs").glob("finished/*"))


def test_a_run_survives_preemption_a_dead_node_and_a_killed_head(
    ready: Tree, cluster: Lab, tmp_path: Path
) -> None:
    tree = ready.copy(tmp_path / "clone")
    undisturbed = tree.copy(tmp_path / "undisturbed")
    local = undisturbed.start(WEIGHTS)
    head = Head(tree, WEIGHTS)
    first = head.training()
    cluster.ask("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=true")
    (number,) = _numbers(head)
    until(lambda: not first.is_running(), MINUTES)
    cluster.start_again(number)
    second = head.training(first)
    until(lambda: "continuing at step" in (tree.folder / LOG).read_text(), MINUTES)

    cluster.kill_node()
    until(lambda: "down" in cluster.ask("sinfo", "-h", "-p", "lab", "-o", "%T"), MINUTES)
    cluster.start_node()
    until(lambda: not second.is_running() and not cluster.steps(), MINUTES)
    cluster.start_again(number)
    third = head.training(first, second)
    until(lambda: "continuing at step" in (tree.folder / LOG).read_text(), MINUTES)

    head.process.kill()
    head.process.wait()
    assert third.is_running(), "jobs do not notice that their head is killed"
    tree.run("--unlock")
    again = Head(tree, WEIGHTS)
    output = again.end()
    assert again.process.returncode == 0, output
    assert (
        f"cancelled what an earlier Snakemake submitted from this folder: job {number}." in output
    )
    assert not third.is_running()
    assert "continuing at step" in (tree.folder / LOG).read_text()
    words, _ = local.communicate()
    assert local.returncode == 0, words
    assert (tree.folder / WEIGHTS).read_bytes() == (undisturbed.folder / WEIGHTS).read_bytes()


def test_a_group_that_fails_does_not_lose_what_it_finished(
    overdue: Head, finished_tree: Tree, tmp_path: Path
) -> None:
    tree = finished_tree.copy(tmp_path / "clone")
    runs = [RUN, RUN.replace("seed0", "seed1")]
    for run in runs:
        shutil.rmtree(tree.folder / run)
    head = Head(tree, *(f"{run}/model.safetensors" for run in runs))
    first = head.training()
    head.training(first).kill()
    output = head.end()
    assert head.process.returncode == 0, output
    assert len(_numbers(head)) == 2
    logs = [
        (tree.folder / f"logs/runs/stories/window_64/rotary/seed{seed}.log").read_text()
        for seed in (0, 1)
    ]
    assert sorted("taken over" in log for log in logs) == [False, True]
    assert tree.content() == finished_tree.content()


def test_over_its_time_limit_a_run_gets_more_time_and_continues(
    overdue: Head, cluster: Lab
) -> None:
    until(lambda: len(_numbers(overdue)) > 1, MINUTES)
    first, second, *_ = _numbers(overdue)
    assert cluster.states()[first] == "TIMEOUT"
    before, after = (
        cluster.ask("squeue", "-h", "--states=all", "-j", number, "-o", "%l")
        for number in (first, second)
    )
    assert (before, after) > ("1:00", "2:00")
    log = overdue.tree.folder / LOG
    until(lambda: "continuing at step" in log.read_text(), MINUTES)
    overdue.process.send_signal(signal.SIGINT)
    assert "Terminating processes on user request" in overdue.end()
    last = _numbers(overdue)[-1]
    until(lambda: cluster.states()[last] == "CANCELLED", MINUTES)
    assert list((overdue.tree.folder / ".rungs/checkpoints").glob("*.safetensors"))


def test_what_ended_while_no_head_was_there_is_not_trained_again(
    finished_tree: Tree, cluster: Lab, tmp_path: Path
) -> None:
    tree = finished_tree.copy(tmp_path / "clone")
    shutil.rmtree(tree.folder / RUN)
    shutil.rmtree(tree.results / "evaluations/stories/window_64/rotary")
    (tree.results / "observations/positions.csv").unlink()
    shutil.rmtree(tree.folder / ".snakemake/metadata")  # as if nothing had been made before
    head = Head(tree, "results/observations/positions.csv")
    until(lambda: _numbers(head), MINUTES)
    head.process.kill()
    head.process.wait()
    (number,) = _numbers(head)
    until(lambda: cluster.states()[number] == "COMPLETED", MINUTES)
    tree.run("--unlock")
    again = Head(tree, "results/observations/positions.csv")
    output = again.end()
    assert again.process.returncode == 1
    assert "finished while no Snakemake was there to record how: 5 files" in output
    again = Head(tree, "results/observations/positions.csv")
    output = again.end()
    assert again.process.returncode == 0, output
    assert "had trained it to its end; taken over" in (tree.folder / LOG).read_text()
    assert tree.content() == finished_tree.content()


def test_a_failed_job_shows_the_end_of_its_log(
    cluster: Lab, finished_tree: Tree, tmp_path: Path
) -> None:
    tree = finished_tree.copy(tmp_path / "clone")
    shutil.rmtree(tree.folder / RUN)
    tokens = tree.results / "corpus/stories/validation.npy"
    os.truncate(tokens, 1_000)
    head = Head(tree, "--retries", "0", WEIGHTS)
    output = head.end()
    assert head.process.returncode == 1
    assert "error: results/corpus/stories/validation.npy: is cut short" in output
    assert LOG in output


def test_a_submission_that_slurm_refuses_is_said(
    cluster: Lab, finished_tree: Tree, tmp_path: Path
) -> None:
    tree = finished_tree.copy(tmp_path / "clone")
    tree.configure("device", "cuda")  # the lab has none
    head = Head(tree, "--retries", "0", WEIGHTS)
    output = head.end()
    assert head.process.returncode == 1
    assert "SLURM sbatch failed. The error message was 'sbatch: error: " in output
