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

from rungs.config import read_config
from rungs.configuration.schema import Run
from rungs.watching.configured import config_of, published_losses
from rungs.watching.log import newest_log
from rungs.watching.remaining import seconds_left
from rungs.watching.state import look
from rungs.watching.training import progress_of, run_of
from tests.watching.folder import (
    FAILURE,
    FIRST_RUN_DONE,
    GOODBYE,
    HEADER,
    training_log,
    working_folder,
)  # fmt: skip

ROOT = Path(__file__).parents[2]
PROGRESS = "step 1331 of 3000, loss 3.727, 27122 tokens per second, 504 s left"
NOW = datetime(2026, 3, 1, 12, 10, 15)
ONE_BLOCK = Run("shakespeare", "window_128", "one_block", 0)


@pytest.mark.parametrize(
    ("parts", "host", "locked", "status"),
    [
        ([HEADER], "", True, "dead"),
        ([HEADER], "another-host", True, "elsewhere"),
        ([HEADER, FIRST_RUN_DONE, FAILURE, GOODBYE], "", False, "stopped"),
        ([HEADER, "11 of 11 steps (100%) done\n", GOODBYE], "", False, "finished"),
    ],
)
def test_without_a_process(
    tmp_path: Path, parts: list[str], host: str, locked: bool, status: str
) -> None:
    assert (
        look(working_folder(tmp_path, *parts, host=host, locked=locked), None, NOW).status == status
    )


def test_nothing_was_ever_run(tmp_path: Path) -> None:
    assert look(tmp_path, None, NOW).status == "nothing"


@contextlib.contextmanager
def snakemake(folder: Path, *words: str) -> Iterator[None]:
    """Run what looks like a Snakemake, while the block runs."""
    pretender = [sys.executable, "-c", "import time; time.sleep(60)", "snakemake", *words]
    with subprocess.Popen(pretender, cwd=folder) as process:
        try:
            yield
        finally:
            process.kill()


def test_a_snakemake_in_the_folder_means_running(tmp_path: Path) -> None:
    folder = working_folder(tmp_path, HEADER)
    with snakemake(folder):
        assert look(folder, None, NOW).status == "running"
    assert look(folder, None, NOW).status == "dead"


def test_a_snakemake_that_has_planned_nothing_yet_is_starting(tmp_path: Path) -> None:
    with snakemake(tmp_path):
        assert look(tmp_path, None, NOW).status == "starting", "no log yet"
    folder = working_folder(tmp_path, HEADER, "11 of 11 steps (100%) done\n", GOODBYE, locked=False)
    with snakemake(folder.parent, "--directory", folder.name):
        assert look(folder, None, NOW).status == "starting", "on its way to the folder"
    assert look(folder, None, NOW).status == "finished"
    log = folder / ".snakemake/log/2026-03-01T130000.000001.snakemake.log"
    log.write_text("Building DAG of jobs...\n")
    with snakemake(folder):
        assert look(folder, None, NOW).status == "starting"
    assert look(folder, None, NOW).status == "finished", "that one only drew the graph"


def test_words_about_snakemake_are_no_snakemake(tmp_path: Path) -> None:
    folder = working_folder(tmp_path, HEADER)
    with subprocess.Popen(["sh", "-c", "read end; : snakemake"], cwd=folder, stdin=-1) as process:
        assert look(folder, None, NOW).status == "dead"
        process.kill()


def test_stages_count_done_and_planned(tmp_path: Path) -> None:
    state = look(working_folder(tmp_path, HEADER, FIRST_RUN_DONE), None, NOW)
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


def test_a_message_names_its_run() -> None:
    assert run_of("Training one_block on shakespeare, window_128, seed 0") == ONE_BLOCK
    assert run_of("Drawing ladder") is None


def test_the_time_left_weighs_runs_by_their_operations(tmp_path: Path) -> None:
    """A short run took 600 s and a long one takes 1,200 s; another long one is to come."""
    folder = working_folder(tmp_path, HEADER, FIRST_RUN_DONE)
    training_log(folder, "step 1500 of 3000, loss 3.7, 27122 tokens per second, 600 s left")
    config = read_config(ROOT / "config.yaml")
    log = newest_log(folder)
    assert log is not None
    running = [(log.jobs[1], ONE_BLOCK, progress_of(folder, ONE_BLOCK))]
    pending = {ONE_BLOCK._replace(seed=1)}
    known = seconds_left(log, running, pending, config, NOW)
    unknown = seconds_left(log, running, pending, None, NOW)
    assert known is not None
    assert unknown is not None
    assert known > unknown > 600


def test_no_pace_no_prophecy(tmp_path: Path) -> None:
    log = newest_log(working_folder(tmp_path, HEADER))
    assert log is not None
    assert seconds_left(log, [], {ONE_BLOCK}, None, datetime(2026, 3, 1, 12, 1)) is None


def test_the_configuration_is_found_from_the_command(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes((ROOT / "config.yaml").read_bytes())
    (tmp_path / "a.yaml").write_text("budgets: {window_128: {steps: 7}}")
    (tmp_path / "b.yaml").write_text("budgets: {window_128: {batch_size: 5}}")
    log = newest_log(working_folder(tmp_path, HEADER))
    assert log is not None
    config = config_of(log.header)
    assert config is not None
    assert (config.budgets["window_128"].steps, config.budgets["window_128"].batch_size) == (7, 5)
    assert config.seeds == [0, 1]
    assert published_losses(config).keys().isdisjoint({ONE_BLOCK[:3]})
    (tmp_path / "b.yaml").unlink()
    assert config_of(log.header) is None


def test_published_losses_are_of_runs_as_they_were_published() -> None:
    losses = published_losses(read_config(ROOT / "config.yaml"))
    assert losses["shakespeare", "window_128", "one_block"] == pytest.approx(3.639, abs=1e-3)
    preview = read_config(ROOT / "config.yaml", ROOT / "config/preview.yaml")
    assert published_losses(preview) == {}
