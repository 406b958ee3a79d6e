"""What Snakemake does, as JSON lines: the records of its own logger, and not its printed text.

A running workflow keeps them for `watch` in ``.rungs/events.jsonl``, which the next workflow with
something to do replaces; a dry run writes them for `plan` and `why` where the environment says.
"""

import json
import logging
import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from rungs.configuration.schema import Run
from rungs.reading import reading

EVENTS = Path(".rungs/events.jsonl")
DRY_RUN = "RUNGS_DRY_RUN"
"""The environment variable that names the file for the records of a dry run."""

FIELDS = {
    "job_info": ("jobid", "rule_name", "rule_msg", "wildcards"),
    "job_finished": ("job_id",),
    "job_error": ("jobid", "rule_name", "log"),
}
"""Events of a running workflow, and what is kept of them."""

DRY_RUN_FIELDS = {
    "job_info": ("jobid", "rule_name", "wildcards", "input", "output", "reason", "shellcmd")
}


class EventLog(logging.Handler):
    """Writes Snakemake's records to a file as they come, and a last line when Python ends.

    Args:
        path: the file, which is replaced.
        fields: events, and what is kept of them.
        beginning: the first line, if there is one.
    """

    def __init__(
        self,
        path: Path,
        fields: Mapping[str, tuple[str, ...]] = FIELDS,
        beginning: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.fields = fields
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.open("w", encoding="utf-8", buffering=1)
        if beginning is not None:
            self._write("began", **beginning)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record of a known event; a full disk costs the event and not the workflow."""
        said = vars(record)
        event = said.get("event")
        if kept := self.fields.get(str(event)):
            try:
                self._write(str(event), **{name: said[name] for name in kept})
            except OSError:
                self.handleError(record)

    def close(self) -> None:
        """Say goodbye; whoever is killed does not."""
        if not self.file.closed:
            try:
                self._write("ended")
                self.file.close()
            except OSError:
                pass
        super().close()

    def _write(self, event: str, **said: Any) -> None:
        line = {"event": event, "time": time.time(), **said}
        self.file.write(json.dumps(line, default=str) + "\n")


def keep_events(
    cores: int | None, configuration: str, planned: Iterable[tuple[str, Mapping[str, str]]]
) -> EventLog:
    """Return a handler that keeps the events of this process, in the current folder.

    Args:
        cores: that Snakemake has.
        configuration: canonical JSON.
        planned: rule and wildcards of every job that is to run.
    """
    jobs = [{"rule": rule, "wildcards": dict(wildcards)} for rule, wildcards in planned]
    beginning = {
        "process": os.getpid(),
        "host": platform.node(),
        "cores": cores or 1,
        "configuration": configuration,
        "planned": jobs,
    }
    return EventLog(EVENTS, beginning=beginning)


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a file that may still be written to, or break off."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:  # the last line of a process that was killed
            return


@dataclass
class StartedJob:
    """A job that was started, and its end if it has come."""

    rule: str
    message: str
    run: Run | None
    """What it trains."""
    start: datetime
    end: datetime | None = None
    log: str | None = None
    """Of one that failed."""

    @property
    def running(self) -> bool:
        """Whether nothing was heard of its end."""
        return self.end is None and not self.failed

    @property
    def failed(self) -> bool:
        """Whether it failed."""
        return self.log is not None

    def seconds(self, now: datetime) -> float:
        """Return how long it took so far; not less than 0 where a clock was set back."""
        return max(0.0, ((self.end or now) - self.start).total_seconds())


@dataclass
class Invocation:
    """One invocation of Snakemake, as far as its events have come."""

    folder: Path
    """Its working folder."""
    process: int
    host: str
    cores: int
    configuration: str
    """Canonical JSON."""
    start: datetime
    planned: Counter[str]
    """Jobs by rule."""
    planned_runs: set[Run]
    """Runs to be trained."""
    last_heard: datetime
    jobs: dict[int, StartedJob] = field(default_factory=dict)
    """By Snakemake's number of the job."""
    ended: bool = False
    """Whether Snakemake said goodbye."""

    @property
    def done(self) -> Counter[str]:
        """Finished jobs by rule."""
        return Counter(job.rule for job in self.jobs.values() if job.end)

    @property
    def steps(self) -> tuple[int, int]:
        """Done, of all."""
        return self.done.total(), self.planned.total()

    @property
    def failures(self) -> list[StartedJob]:
        """The jobs that failed."""
        return [job for job in self.jobs.values() if job.failed]


def last_invocation(folder: Path) -> Invocation | None:
    """Return the last invocation that had something to do in a folder; None where none had."""
    found: Invocation | None = None
    with reading(folder / EVENTS):
        for said in read_events(folder / EVENTS):
            now = datetime.fromtimestamp(said["time"])
            if said["event"] == "began":
                found = _begun(folder, said, now)
            elif found is not None:
                _follow(found, said, now)
    return found


def _begun(folder: Path, said: dict[str, Any], now: datetime) -> Invocation:
    runs = (_run(job["rule"], job["wildcards"]) for job in said["planned"])
    return Invocation(
        folder=folder,
        process=said["process"],
        host=said["host"],
        cores=said["cores"],
        configuration=said["configuration"],
        start=now,
        planned=Counter(job["rule"] for job in said["planned"]),
        planned_runs={run for run in runs if run},
        last_heard=now,
    )


def _follow(found: Invocation, said: dict[str, Any], now: datetime) -> None:
    found.last_heard = now
    match said["event"]:
        case "job_info":
            rule = said["rule_name"]
            run = _run(rule, said["wildcards"])
            message = said["rule_msg"] or rule
            found.jobs[said["jobid"]] = StartedJob(rule, message, run, now)
        case "job_finished" if job := found.jobs.get(said["job_id"]):
            job.end = now
        case "job_error" if job := found.jobs.get(said["jobid"]):
            job.log = next(iter(said["log"]), "")
        case "ended":
            found.ended = True


def _run(rule: str, wildcards: Mapping[str, str]) -> Run | None:
    if rule != "train":
        return None
    corpus, budget, variant, seed = (
        wildcards[name] for name in ("corpus", "budget", "variant", "seed")
    )
    return Run(corpus, budget, variant, int(seed))
