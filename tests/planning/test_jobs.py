"""The jobs of a dry run, from the records that Snakemake makes of them."""

import logging
from pathlib import Path
from typing import Any

import pytest

from rungs.kept_settings import keep
from rungs.planning.jobs import Job, read_jobs
from rungs.records.events import DRY_RUN_FIELDS, EventLog

RUN = {"corpus": "tales", "budget": "short", "variant": "rotary", "seed": "0"}


def events(path: Path, *jobs: dict[str, Any]) -> Path:
    """Write the records of jobs as Snakemake makes them."""
    handler = EventLog(path, DRY_RUN_FIELDS)
    logger = logging.Logger("like Snakemake's")
    logger.addHandler(handler)
    for number, job in enumerate(jobs):
        more = {"jobid": number, "wildcards": {}, "reason": "", "shellcmd": "", **job}
        logger.info("", extra={"event": "job_info", **more})
    handler.close()
    return path


def test_jobs_are_read_with_what_they_wait_for_their_reasons_and_commands(tmp_path: Path) -> None:
    train = {
        "rule_name": "train", "wildcards": RUN,
        "input": ["train.npy"], "output": ["run", "weights"],
        "reason": "Missing output files: run",
        "shellcmd": """python -m rungs train --log logs/runs/x.log --budget '{"a":"it'"'"'s"}'""",
    }  # fmt: skip
    table = {"rule_name": "table", "input": ["run", "weights", "there"], "output": ["table.csv"]}
    targets = {"rule_name": "all", "input": ["table.csv", "run"], "output": [], "shellcmd": None}
    jobs = read_jobs(events(tmp_path / "events", train, table, targets), tmp_path)
    command = ("train", "--log", "logs/runs/x.log", "--budget", '{"a":"it\'s"}')
    assert jobs == [
        Job("train", RUN, (), "Missing output files: run", command),
        Job("table", {}, (0,)),
        Job("all", {}, (0, 1)),
    ]
    assert jobs[0].address == ("runs", "x")


def test_settings_that_travel_by_file_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    word = keep('{"long": "settings"}')
    shell = f"python -m rungs table --log x.log --settings {word}"
    job = {"rule_name": "table", "input": [], "output": [], "shellcmd": shell}
    (read,) = read_jobs(events(tmp_path / "events", job), tmp_path)
    assert read.command[-1] == '{"long": "settings"}'


def test_a_finished_workflow_has_no_jobs(tmp_path: Path) -> None:
    assert read_jobs(events(tmp_path / "events"), tmp_path) == []
