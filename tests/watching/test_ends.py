"""What a failed job shows of its log."""

import logging
from pathlib import Path

import pytest

from rungs.watching.ends import FailureInShort, ends_of_logs, last_words


def test_a_short_log_is_shown_whole(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("begun\nerror: no\n")
    assert list(ends_of_logs([str(log)])) == [f"Logfile {log}:", "    begun", "    error: no"]


def test_of_a_long_log_the_end_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"\xff\n" + b"".join(b"step %d\n" % n for n in range(1_234)))
    heading, *lines = ends_of_logs([str(log)])
    assert heading == f"Logfile {log}, the last 20 of its 1,235 lines:"
    assert lines == [f"    step {n}" for n in range(1_214, 1_234)]


def test_a_missing_or_empty_log_hides_no_other(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.touch()
    shown = list(ends_of_logs([str(tmp_path / "absent.log"), str(empty)]))
    assert shown == [
        f"Logfile {tmp_path}/absent.log: cannot be read (No such file or directory)",
        f"Logfile {empty}: is empty",
    ]


def test_a_failed_job_is_its_rule_and_the_end_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("error: no\n")
    record = logging.makeLogRecord(
        {"event": "job_error", "rule_name": "report", "shellcmd": "x" * 50_000, "log": [str(log)],
         "input": ["a.csv"] * 1_000, "aux": {"external_jobid": "17"}}
    )  # fmt: skip
    assert FailureInShort(logging.Formatter()).format(record).splitlines() == [
        "Error in rule report, external_jobid 17:",
        f"Logfile {log}:",
        "    error: no",
    ]


def test_the_command_of_a_failed_job_is_not_repeated() -> None:
    command = "python -m rungs report --configuration '{}'\n" * 1_000
    text = "RuleException:\nCalledProcessError in file 'a.smk', line 3:\n"
    ended = "returned non-zero exit status 2."
    record = logging.makeLogRecord({"msg": f"{text}Command '{command}' {ended}"})
    said = FailureInShort(logging.Formatter("%(message)s")).format(record)
    assert said == f"{text}the command {ended}"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("12:00:00 report is process 7 on host\n12:00:01 a.svg: is empty\n", "a.svg: is empty"),
        ("12:00:01 a.csv: is damaged:\nrow 3\n", "a.csv: is damaged:\nrow 3"),
        (
            "12:00:01 report failed\nTraceback (most recent call last):\n  File 'a'\nKeyError: 1\n",
            "KeyError: 1",
        ),
        ("", ""),
    ],
)
def test_last_words_are_the_reason(tmp_path: Path, written: str, words: str) -> None:
    log = tmp_path / "a.log"
    log.write_text(written)
    assert last_words(log) == words


def test_no_log_has_no_last_words(tmp_path: Path) -> None:
    assert last_words(tmp_path / "none.log") == ""
