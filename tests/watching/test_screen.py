"""What is shown of a state."""

from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from rungs import cli
from rungs.files import write_json
from rungs.watching import screen as screens
from rungs.watching.state import State, look
from tests.watching.folder import (
    FAILURE,
    FIRST_RUN_DONE,
    GOODBYE,
    TRAINING,
    began,
    training_log,
    working_folder,
)  # fmt: skip

NOW = datetime(2026, 3, 1, 12, 10, 30)
PUBLISHED = {("shakespeare", "window_128", "one_block"): 3.639}
PROGRESS = "step 1331 of 3000, loss 3.727, 27122 tokens per second, 504 s left"


def drawn(state: State, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(screens.screen(state, PUBLISHED, NOW, width))
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


@pytest.fixture
def elsewhere(tmp_path: Path) -> State:
    folder = working_folder(tmp_path, began("node-17"), *TRAINING, *FIRST_RUN_DONE)
    training_log(folder, PROGRESS)
    return look(folder, None, NOW)


def test_everything_fits_eighty_columns(elsewhere: State) -> None:
    lines = drawn(elsewhere).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24


def test_forty_columns_keep_the_names_and_the_time_left(elsewhere: State) -> None:
    shown = drawn(elsewhere, 40).splitlines()
    assert max(map(len, shown)) <= 40
    for words in ("tables and figures  0/1", "training            1/4"):
        assert any(line.startswith(words) for line in shown), words
    row = next(line for line in shown if "one_block" in line)
    assert "1,331/3,000" in row
    assert "8 min" in row


def test_a_clock_set_back_shows_no_negative_times(elsewhere: State) -> None:
    before = datetime(2026, 3, 1, 11)
    for shown in (screens.headline(elsewhere, before), screens.line(elsewhere, {}, before)):
        assert "-" not in shown.replace("node-17", "").replace("window_128", "")
    console = Console(file=StringIO(), width=80, color_system=None)
    console.print(screens.screen(elsewhere, {}, before, 80))
    assert isinstance(console.file, StringIO)
    assert "for 0 s" in console.file.getvalue()


def test_a_training_job_with_its_published_loss(elsewhere: State) -> None:
    row = next(line for line in drawn(elsewhere).splitlines() if "one_block" in line)
    for words in ("one_block seed 0", "1,331/3,000", "3.727", "3.639", "27,122", "8 min"):
        assert words in row
    assert "Evaluating no_con" in drawn(elsewhere)
    assert "Evaluating no_context on shakespeare, window_128, seed 0" in drawn(elsewhere, 120)
    assert "Running on node-17" in drawn(elsewhere)


def test_a_run_that_diverged_has_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = working_folder(tmp_path, began("node-17"), *TRAINING, *FIRST_RUN_DONE)
    write_json(
        folder / "results/runs/shakespeare/window_128/no_context/seed0/run.json",
        {"diverged_at_step": 212},
    )
    ended = "ended: no_context seed 0, window_128 diverged at step 212"
    assert ended in drawn(look(folder, None, NOW))
    assert cli.main(["watch", "--directory", str(folder), "--once"]) == 0
    assert ended in capsys.readouterr().out


def test_hundreds_of_jobs_stay_on_the_screen(elsewhere: State) -> None:
    many = State(**{**vars(elsewhere), "running": elsewhere.running * 100})
    assert len(drawn(many).splitlines()) < 40
    assert "and 184 more" in drawn(many)


def test_one_line_for_a_log(elsewhere: State) -> None:
    line = screens.line(elsewhere, PUBLISHED, NOW)
    assert "\n" not in line
    for words in ("12:10:30", "2 of 11 jobs", "step 1331 of 3000", "loss 3.727 (published 3.639)"):
        assert words in line


def test_a_dead_workflow_says_how_to_go_on(tmp_path: Path) -> None:
    shown = drawn(look(working_folder(tmp_path, began(), *TRAINING), None, NOW))
    assert shown.startswith("Dead: Snakemake is gone")
    assert "interrupted" in shown
    assert "--unlock" in shown


def test_a_failure_names_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = working_folder(tmp_path, began(), *TRAINING, *FIRST_RUN_DONE, *FAILURE, *GOODBYE)
    words = "failed: evaluate, see logs/evaluations/no_context.log"
    assert words in drawn(look(folder, None, NOW))
    assert cli.main(["watch", "--directory", str(folder)]) == 0
    output = capsys.readouterr().out
    assert words in output
    assert "Stopped" in output
    assert "\x1b" not in output


def test_an_empty_folder_and_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["watch", "--directory", str(tmp_path)]) == 0
    assert "Nothing has been run in this folder" in capsys.readouterr().out
    assert cli.main(["watch", "--directory", str(tmp_path / "no")]) == 2
    assert "is not a folder" in capsys.readouterr().err
