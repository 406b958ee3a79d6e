"""Running, dead, stopped, finished: told apart by files and processes."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from rungs.config import Config, read_config
from rungs.records.events import Invocation, last_invocation
from rungs.watching.configured import published_losses
from rungs.watching.remaining import seconds_left
from rungs.watching.state import look
from rungs.watching.training import progress_of
from tests.watching.folder import (
    ALL_DONE,
    FAILURE,
    FIRST_RUN_DONE,
    GOODBYE,
    ONE_BLOCK,
    TRAINING,
    Event,
    began,
    training_log,
    working_folder,
)

ROOT = Path(__file__).parents[2]
PROGRESS = "step 1331 of 3000, loss 3.727, 27122 tokens per second, 504 s left"
NOW = datetime(2026, 3, 1, 12, 10, 15)
RUNNING = [began(), *TRAINING]


@pytest.mark.parametrize(
    ("events", "status"),
    [
        (RUNNING, "dead"),
        ([began(process=os.getpid()), *TRAINING], "dead"),  # no Snakemake has the number any more
        ([began(host="another-host"), *TRAINING], "elsewhere"),
        ([*RUNNING, *FIRST_RUN_DONE, *FAILURE, *GOODBYE], "stopped"),
        ([began(host="another-host"), *TRAINING, *FAILURE, *GOODBYE], "stopped"),
        ([*RUNNING, *ALL_DONE, *GOODBYE], "finished"),
    ],
)
def test_without_a_process(tmp_path: Path, events: list[Event], status: str) -> None:
    assert look(working_folder(tmp_path, *events), None, NOW).status == status


def test_nothing_was_ever_run(tmp_path: Path) -> None:
    assert look(tmp_path, None, NOW).status == "nothing"


@contextlib.contextmanager
def snakemake(folder: Path, *words: str) -> Iterator[int]:
    """Run what looks like a Snakemake, while the block runs."""
    pretender = [sys.executable, "-c", "import time; time.sleep(60)", "snakemake", *words]
    with subprocess.Popen(pretender, cwd=folder) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def test_its_own_snakemake_means_running(tmp_path: Path) -> None:
    with snakemake(tmp_path) as process:
        folder = working_folder(tmp_path, began(process=process), *TRAINING)
        assert look(folder, None, NOW).status == "running"
    assert look(folder, None, NOW).status == "dead"


def test_a_snakemake_that_has_planned_nothing_yet_is_starting(tmp_path: Path) -> None:
    with snakemake(tmp_path):
        assert look(tmp_path, None, NOW).status == "starting", "nothing was ever run"
    folder = working_folder(tmp_path, *RUNNING, *ALL_DONE, *GOODBYE)
    with snakemake(folder.parent, "--directory", folder.name):
        assert look(folder, None, NOW).status == "starting", "on its way to the folder"
    assert look(folder, None, NOW).status == "finished", "it only drew the graph"


def test_words_about_snakemake_are_no_snakemake(tmp_path: Path) -> None:
    with subprocess.Popen(["sh", "-c", "read end; : snakemake"], cwd=tmp_path, stdin=-1) as process:
        folder = working_folder(tmp_path, began(process=process.pid), *TRAINING)
        assert look(folder, None, NOW).status == "dead"
        process.kill()


def test_stages_count_done_and_planned(tmp_path: Path) -> None:
    state = look(working_folder(tmp_path, *RUNNING, *FIRST_RUN_DONE), None, NOW)
    assert state.stages == {
        "corpus": (1, 1),
        "training": (1, 4),
        "evaluation": (0, 4),
        "tables and figures": (0, 1),
    }


def test_the_last_progress_line_and_its_age(tmp_path: Path) -> None:
    path = training_log(
        tmp_path, "step 40 of 3000, loss 6.9, 9 tokens per second, 9 s left", PROGRESS
    )
    os.utime(path, (time.time() - 100,) * 2)
    progress = progress_of(tmp_path, ONE_BLOCK)
    assert progress is not None
    assert progress[:4] == (1331, 3000, 3.727, 27122)
    assert progress.seconds_left == pytest.approx(404, abs=5)


def test_no_progress_before_the_first_line(tmp_path: Path) -> None:
    assert progress_of(tmp_path, ONE_BLOCK) is None
    training_log(tmp_path, "continuing at step 12 from .rungs/checkpoints/x.safetensors")
    assert progress_of(tmp_path, ONE_BLOCK) is None


def invocation(folder: Path, *events: Event) -> Invocation:
    found = last_invocation(working_folder(folder, *events))
    assert found is not None
    return found


def test_the_time_left_weighs_runs_by_their_operations(tmp_path: Path) -> None:
    """A short run took 600 s and a long one takes 1,200 s; another long one is to come."""
    training_log(tmp_path, "step 1500 of 3000, loss 3.7, 27122 tokens per second, 600 s left")
    found = invocation(tmp_path, *RUNNING, *FIRST_RUN_DONE)
    running = [(found.jobs[1], progress_of(tmp_path, ONE_BLOCK))]
    pending = {ONE_BLOCK._replace(seed=1)}

    def left(config: Config | None) -> float:
        seconds = seconds_left(found, running, pending, config, NOW)
        assert seconds is not None
        return seconds

    assert left(read_config(ROOT / "config.yaml")) > left(None) > 600


def test_no_pace_no_prophecy(tmp_path: Path) -> None:
    found = invocation(tmp_path, *RUNNING)
    assert seconds_left(found, [], {ONE_BLOCK}, None, datetime(2026, 3, 1, 12, 1)) is None


def test_published_losses_are_of_runs_as_they_were_published() -> None:
    losses = published_losses(read_config(ROOT / "config.yaml"))
    assert losses["shakespeare", "window_128", "one_block"] == pytest.approx(3.639, abs=1e-3)
    preview = read_config(ROOT / "config.yaml", ROOT / "config/preview.yaml")
    assert published_losses(preview) == {}
