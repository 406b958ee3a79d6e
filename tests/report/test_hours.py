"""Time by stage: what runs say of themselves, and what logs say of the other jobs."""

from pathlib import Path

import pytest

from rungs.cli import main
from rungs.report.hours import StageTime, stage_times, time_taken
from tests.report import results_folder as hand


def test_runs_and_logs_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "a.log").write_text(
        "12:00:00 read it\n12:00:01 done\n12:00:01 evaluate took 2.5 s, 2.0 s of processor time\n"
    )
    (tmp_path / "runs/b.log").write_text("23:59:59 evaluate took 1.5 s, 3.0 s of processor time\n")
    (tmp_path / "c.log").write_text("12:00:00 train took 9.0 s, 9.0 s of processor time\n")
    (tmp_path / "d.log").write_bytes(b"\xff failed\n")
    runs = [{"seconds": 100.0, "core_seconds": 90}, {"seconds": 20, "core_seconds": 19}, {}]
    assert stage_times(runs, tmp_path) == [
        StageTime("train", 2, 120.0, 109.0),
        StageTime("evaluate", 2, 4.0, 5.0),
    ]
    assert stage_times([], tmp_path / "absent") == []


def test_a_finished_stage_says_in_its_log_how_long_it_took(tmp_path: Path) -> None:
    table = hand.write_table(tmp_path / "parameters.csv", hand.parameters())
    words = ["figure-parameters", "--table", str(table), "--models", "one_block"]
    files = ["--svg", str(tmp_path / "x.svg"), "--png", str(tmp_path / "x.png")]
    assert main([*words, *files, "--log", str(tmp_path / "x.log")]) == 0
    (found,) = stage_times([], tmp_path)
    assert (found.stage, found.jobs) == ("figure-parameters", 1)
    assert found.wall > 0
    assert found.core > 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (59.4, "59.4 s"),
        (60, "1 min 00 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (86_399, "24 h 00 min"),
    ],
)
def test_time_taken_in_words(seconds: float, words: str) -> None:
    assert time_taken(seconds) == words
