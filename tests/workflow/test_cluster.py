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

from tests.workflow.lab import Lab, NoLab, end_all, lab, until
from tests.workflow.processes import gone, is_training, stoppable
from tests.workflow.tree import Tree, plant
from tests.workflow.workflow import SNAKEMAKE

pytestmark = [pytest.mark.workflow, pytest.mark.cluster]

RUN = "results/runs/stories/window_64/rotary/seed0"
WEIGHTS = f"{RUN}/model.safetensors"
LOG = "logs/runs/stories/window_64/rotary/seed0.log"
TARGETS = ("results/figures/positions.svg", "results/memory.csv", "results/variance.csv")
"""Of every kind: a group of runs, of probes, of kernel points, single jobs, and what is local."""
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
    minutes: int
    """What its first job asked for."""

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
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lab]:
    """A running cluster. Nothing that a test started, on it or beside it, outlives it."""
    try:
        with contextlib.ExitStack() as stack:
            base = tmp_path_factory.getbasetemp()
            stack.callback(lambda: end_all(_working_in(base)))
            running = stack.enter_context(lab())
            stack.callback(_end_heads)
            yield running
    except NoLab as reason:
        if request.config.option.markexpr == "cluster":  # asked for by name
            pytest.exit(str(reason), returncode=2)
        pytest.skip(str(reason))


def _end_heads() -> None:
    for process in Head.started:
        process.kill()
        process.wait()


def _working_in(folder: Path) -> list[psutil.Process]:
    """Return the processes whose working directory is below the folder."""
    inside = f"{folder}{os.sep}"
    return [process for process in psutil.process_iter() if _folder(process).startswith(inside)]


@pytest.fixture(scope="module")
def finished(cluster: Lab, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A tree in which everything of `TARGETS` was made without a cluster. Copy it."""
    tree = plant(tmp_path_factory.mktemp("finished"))
    tree.run(*TARGETS)
    return tree


@pytest.fixture(scope="module")
def ready(finished: Tree, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A tree with a corpus, whose run takes a while and is still to be made. Copy it."""
    tree = finished.copy(tmp_path_factory.mktemp("ready") / "clone")
    tree.configure("budgets.window_64.steps", 6_000)
    tree.configure("budgets.window_64.validate_every", 3_000)
    return tree


@pytest.fixture(scope="module")
def overdue(ready: Tree, cluster: Lab) -> Head:
    """A head whose run takes hours, and is over its time limit a minute after it started."""
    tree = ready.copy(ready.folder.with_name("overdue"))
    tree.configure("budgets.window_64.steps", 1_000_000)
    head = Head(tree, WEIGHTS)
    head.training().suspend()  # leaves the core to the tests meanwhile
    (number,) = _numbers(head)
    head.minutes = _minutes(cluster, number)
    cluster.ask("scontrol", "update", f"JobId={number}", "TimeLimit=1")
    return head


def _minutes(cluster: Lab, number: str) -> int:
    """Return how many minutes a job may last."""
    answer = cluster.ask("scontrol", "show", "job", number)
    days, hours, minutes = re.findall(r"TimeLimit=(?:(\d+)-)?(\d+):(\d+):00", answer)[0]
    return (int(days or 0) * 24 + int(hours)) * 60 + int(minutes)


def _continued_at(tree: Tree) -> int:
    """Wait until the run that just started has said where it continues; return the step."""
    log = tree.folder / LOG  # Snakemake removes it before a job starts
    until(lambda: log.exists() and "continuing at step" in log.read_text(), MINUTES)
    return int(re.findall(r"continuing at step (\d+)", log.read_text())[0])


def _numbers(head: Head) -> list[str]:
    return re.findall(r"submitted with SLURM jobid (\d+)", head.said())


def test_the_same_bytes_as_on_one_machine(cluster: Lab, finished: Tree, tmp_path: Path) -> None:
    tree = finished.copy(tmp_path / "clone")
    for name in ("results", "logs", ".snakemake", ".rungs"):
        shutil.rmtree(tree.folder / name)
    head = Head(tree, *TARGETS)
    output = head.end()
    assert head.process.returncode == 0, output
    assert len(tree.content()) > 20
    assert tree.content() == finished.content()
    refused = "sacct: Slurm accounting storage is disabled"
    assert f"SLURM: the ends of jobs are noticed through squeue ({refused})" in output
    assert len(_numbers(head)) == 4, "the probe, the kernel, the tokens, and two runs together"
    assert list((tree.folder / "logs/slurm/rule_tokenize/stories").glob("*.log"))
    (group,) = (tree.folder / "logs/slurm").glob("group_runs_32_*/*.log")
    assert group.read_text().count("Building DAG of jobs") == 1, "one Snakemake for all its jobs"
    assert (tree.folder / LOG).exists()
    assert not list((tree.folder / ".rungs").glob("finished/*"))


def test_a_run_survives_preemption_a_dead_node_and_a_killed_head(
    ready: Tree, cluster: Lab, tmp_path: Path
) -> None:
    tree = ready.copy(tmp_path / "clone")
    undisturbed = tree.copy(tmp_path / "undisturbed")
    local = undisturbed.start(WEIGHTS)
    head = Head(tree, WEIGHTS)
    # The run stands still until what is to happen to it has happened, so that it cannot end before.
    # SLURM sends SIGCONT together with SIGTERM.
    first = head.training()
    first.suspend()
    cluster.ask("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=true")
    (number,) = _numbers(head)
    gone([first])
    cluster.start_again(number)
    second = head.training(first)
    preempted_at = _continued_at(tree)

    second.suspend()
    cluster.kill_node()
    until(lambda: "down" in cluster.ask("sinfo", "-h", "-p", "lab", "-o", "%T"), MINUTES)
    cluster.start_node()
    until(lambda: not second.is_running() and not cluster.steps(), MINUTES)
    cluster.start_again(number)
    third = head.training(first, second)
    assert _continued_at(tree) >= preempted_at

    third.suspend()
    head.process.kill()
    head.process.wait()
    tree.run("--unlock")
    again = Head(tree, WEIGHTS)
    output = again.end()
    assert again.process.returncode == 0, output
    assert (
        f"cancelled what an earlier Snakemake submitted from this folder: job {number}." in output
    )
    gone([third])
    assert _continued_at(tree) > preempted_at
    words, _ = local.communicate()
    assert local.returncode == 0, words
    assert (tree.folder / WEIGHTS).read_bytes() == (undisturbed.folder / WEIGHTS).read_bytes()


def test_a_group_that_fails_does_not_lose_what_it_finished(
    overdue: Head, finished: Tree, tmp_path: Path
) -> None:
    tree = finished.copy(tmp_path / "clone")
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
    assert tree.content() == finished.content()


def test_what_ended_while_no_head_was_there_is_not_trained_again(
    finished: Tree, cluster: Lab, tmp_path: Path
) -> None:
    tree = finished.copy(tmp_path / "clone")
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
    assert tree.content() == finished.content()


def test_a_failed_job_shows_the_end_of_its_log(
    cluster: Lab, finished: Tree, tmp_path: Path
) -> None:
    tree = finished.copy(tmp_path / "clone")
    shutil.rmtree(tree.folder / RUN)
    tokens = tree.results / "corpus/stories/validation.npy"
    os.truncate(tokens, 1_000)
    (tree.folder / ".rungs/written" / tokens.relative_to(tree.folder)).unlink()  # or no job starts
    head = Head(tree, "--retries", "0", WEIGHTS)
    output = head.end()
    assert head.process.returncode == 1
    assert "error: results/corpus/stories/validation.npy: is cut short" in output
    assert LOG in output


def test_a_submission_that_slurm_refuses_is_said(
    cluster: Lab, finished: Tree, tmp_path: Path
) -> None:
    tree = finished.copy(tmp_path / "clone")
    tree.configure("device", "cuda")  # the lab has none
    head = Head(tree, "--retries", "0", WEIGHTS)
    output = head.end()
    assert head.process.returncode == 1
    assert "SLURM sbatch failed. The error message was 'sbatch: error: " in output


def test_over_its_time_limit_a_run_gets_more_time_and_continues(
    overdue: Head, cluster: Lab
) -> None:
    until(lambda: len(_numbers(overdue)) > 1, MINUTES)
    first, second = _numbers(overdue)
    assert cluster.states()[first] == "TIMEOUT"
    assert _minutes(cluster, second) == 2 * overdue.minutes
    assert _continued_at(overdue.tree) > 0
    overdue.process.send_signal(signal.SIGINT)
    assert "Terminating processes on user request" in overdue.end()
    until(lambda: cluster.states()[second] == "CANCELLED", MINUTES)
    assert list((overdue.tree.folder / ".rungs/checkpoints").glob("*.safetensors"))
