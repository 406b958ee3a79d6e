"""Reading what Snakemake writes down."""

from datetime import datetime
from pathlib import Path

from rungs.watching.log import newest_log, parse, plans_now
from tests.watching.folder import FAILURE, FIRST_RUN_DONE, GOODBYE, HEADER, working_folder


def test_a_running_workflow(tmp_path: Path) -> None:
    log = newest_log(working_folder(tmp_path, HEADER))
    assert log is not None
    assert log.cores == 2
    assert log.planned == {"tokenize": 1, "train": 4, "evaluate": 4, "table": 1, "all": 1}
    assert log.done == {"tokenize": 1}
    assert log.steps == (1, 11)
    assert [job.message for job in log.jobs.values() if job.running] == [
        "Training one_block on shakespeare, window_128, seed 0",
        "Training no_context on shakespeare, window_128, seed 0",
    ]
    assert log.start == datetime(2026, 3, 1, 12)
    assert log.jobs[9].end == datetime(2026, 3, 1, 12, 0, 15)
    assert not log.closed


def test_a_failure_is_not_running_and_names_its_log(tmp_path: Path) -> None:
    log = newest_log(working_folder(tmp_path, HEADER, FIRST_RUN_DONE, FAILURE, GOODBYE))
    assert log is not None
    assert log.failures == {5: ("evaluate", "logs/evaluations/no_context.log")}
    assert [number for number, job in log.jobs.items() if job.running] == [1]
    assert log.closed
    assert not log.complete


def test_a_job_that_succeeds_when_tried_again_has_not_failed(tmp_path: Path) -> None:
    again = "[Sun Mar  1 12:10:30 2026]\nFinished jobid: 5 (Rule: evaluate)\n"
    log = newest_log(working_folder(tmp_path, HEADER, FIRST_RUN_DONE, FAILURE, again))
    assert log is not None
    assert not log.failures


def test_a_log_that_breaks_off_anywhere_is_read(tmp_path: Path) -> None:
    whole = HEADER + FIRST_RUN_DONE + FAILURE
    path = working_folder(tmp_path, whole) / ".snakemake/log"
    file = next(path.iterdir())
    text = file.read_text()
    for end in range(0, len(text), 7):
        file.write_text(text[:end])
        assert parse(file).steps <= (2, 11)


def test_the_newest_of_several(tmp_path: Path) -> None:
    folder = working_folder(tmp_path, HEADER)
    (folder / ".snakemake/log/2026-03-02T080000.000001.snakemake.log").write_text(
        "Nothing to be done (all requested files are present and up to date).\n" + GOODBYE
    )
    log = newest_log(folder)
    assert log is not None
    assert log.nothing_to_do
    assert log.complete


def test_an_invocation_that_was_refused_does_not_count(tmp_path: Path) -> None:
    folder = working_folder(tmp_path, HEADER)
    beginning = HEADER.partition("Building DAG")[0]
    (folder / ".snakemake/log/2026-03-01T120100.000001.snakemake.log").write_text(
        f"{beginning}Building DAG of jobs...\nLockException:\nError: Directory cannot be locked.\n"
    )
    log = newest_log(folder)
    assert log is not None
    assert log.planned
    assert not plans_now(folder)
    (folder / ".snakemake/log/2026-03-01T120200.000001.snakemake.log").write_text(beginning)
    assert plans_now(folder)
    assert newest_log(folder) == log, "it may only have drawn the graph"


def test_no_log(tmp_path: Path) -> None:
    assert newest_log(tmp_path) is None
