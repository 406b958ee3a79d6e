"""What Snakemake does is kept as it comes, and read as far as it has come."""

import json
import logging
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from rungs.errors import UserError
from rungs.records.events import EVENTS, EventLog, keep_events, last_invocation, read_events
from tests.watching.folder import (
    FAILURE,
    FIRST_RUN_DONE,
    GOODBYE,
    NO_CONTEXT,
    ONE_BLOCK,
    RUNS,
    START,
    TRAINING,
    began,
    finished,
    started,
    working_folder,
)


def test_a_running_workflow(tmp_path: Path) -> None:
    found = last_invocation(working_folder(tmp_path, began(), *TRAINING))
    assert found is not None
    assert (found.cores, found.start, found.ended) == (2, START, False)
    assert found.planned == {"tokenize": 1, "train": 4, "evaluate": 4, "table": 1, "all": 1}
    assert found.planned_runs == set(RUNS)
    assert found.done == {"tokenize": 1}
    assert found.steps == (1, 11)
    assert [job.run for job in found.jobs.values() if job.running] == [ONE_BLOCK, NO_CONTEXT]
    assert found.jobs[9].end == START + timedelta(seconds=15)


def test_a_failure_is_not_running_and_names_its_log(tmp_path: Path) -> None:
    events = [began(), *TRAINING, *FIRST_RUN_DONE, *FAILURE, *GOODBYE]
    found = last_invocation(working_folder(tmp_path, *events))
    assert found is not None
    (failed,) = found.failures
    assert (failed.rule, failed.log) == ("evaluate", "logs/evaluations/no_context.log")
    assert [number for number, job in found.jobs.items() if job.running] == [1]
    assert found.ended
    assert found.steps == (2, 11)


def test_a_file_that_breaks_off_anywhere_is_read(tmp_path: Path) -> None:
    path = working_folder(tmp_path, began(), *TRAINING, *FIRST_RUN_DONE, *FAILURE) / EVENTS
    whole = path.read_text()
    done = set()
    for end in range(0, len(whole), 7):
        path.write_text(whole[:end])
        found = last_invocation(tmp_path)
        done.add(found.steps[0] if found else None)
    assert done == {None, 0, 1, 2}


def test_nothing_was_ever_run(tmp_path: Path) -> None:
    assert last_invocation(tmp_path) is None


def test_records_of_snakemake_are_kept_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    logger = logging.Logger("like Snakemake's")
    wildcards = {"corpus": "c", "budget": "b", "variant": "v", "seed": "3"}
    handler = keep_events(2, "{}", [("train", wildcards), ("all", {})])
    logger.addHandler(handler)
    logger.info("Nothing of ours")
    logger.info("", extra={"event": "progress", "done": 0, "total": 2})
    told = {"jobid": 4, "rule_name": "train", "rule_msg": "Training", "wildcards": wildcards}
    logger.info("", extra={"event": "job_info", **told, "shellcmd": "a page"})
    assert [said["event"] for said in read_events(EVENTS)] == ["began", "job_info"], "as it comes"
    logger.info("", extra={"event": "job_finished", "job_id": 4})
    found = last_invocation(Path())
    assert found is not None
    assert not found.ended
    handler.close()
    found = last_invocation(Path())
    assert found is not None
    assert found.ended
    assert found.steps == (1, 2)
    assert found.jobs[4].run in found.planned_runs
    assert "a page" not in EVENTS.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_costs_the_events_and_not_the_workflow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    handler = EventLog(Path("/dev/full"))
    logger = logging.Logger("like Snakemake's")
    logger.addHandler(handler)
    logger.info("", extra={"event": "job_finished", "job_id": 4})
    handler.close()


def test_an_event_s_time_is_the_clock_s(tmp_path: Path) -> None:
    handler = EventLog(tmp_path / "events.jsonl", beginning={})
    handler.close()
    times = [json.loads(line)["time"] for line in (tmp_path / "events.jsonl").open()]
    assert abs(datetime.now().timestamp() - times[0]) < 60


def test_a_job_that_succeeds_when_tried_again_has_not_failed(tmp_path: Path) -> None:
    again = started(630, 5, "evaluate", "Evaluating no_context on shakespeare, window_128, seed 0")
    events = [began(), *TRAINING, *FIRST_RUN_DONE, *FAILURE, again, finished(640, 5)]
    found = last_invocation(working_folder(tmp_path, *events))
    assert found is not None
    assert found.failures == []
    assert found.steps == (3, 11)


def test_an_edited_event_names_the_file(tmp_path: Path) -> None:
    folder = working_folder(tmp_path, began(), (1, "job_info", {"jobid": 1, "rule_name": "train"}))
    with pytest.raises(UserError, match=rf"{EVENTS}: has no wildcards; delete it"):
        last_invocation(folder)
