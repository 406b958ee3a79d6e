"""Read the log that Snakemake keeps of one invocation: what was planned, started, done, failed."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

_TIME = re.compile(r"^\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\]$")
_STARTED = re.compile(r"^Job (\d+): (.+)$")
_FINISHED = re.compile(r"^Finished jobid: (\d+) \(Rule: (\w+)\)$")
_ERROR = re.compile(r"^Error in rule (\w+):$")
_PLANNED = re.compile(r"^(\w+) +(\d+)$")
_REFUSAL = re.compile(r"^\w+(Error|Exception)\b")
_STEPS = re.compile(r"^(\d+) of (\d+) steps \(.*\) done$")


@dataclass
class Started:
    """A job that was started, and its end if it has come."""

    message: str
    start: datetime
    end: datetime | None = None
    failed: bool = False

    @property
    def running(self) -> bool:
        """Whether nothing was heard of its end."""
        return self.end is None and not self.failed

    def seconds(self, now: datetime) -> float:
        """Return how long it took so far; not less than 0 where a clock was set back."""
        return max(0.0, ((self.end or now) - self.start).total_seconds())


@dataclass
class SnakemakeLog:
    """One invocation of Snakemake, as far as its log has come."""

    path: Path
    header: dict[str, str] = field(default_factory=dict)
    """``Host``, ``Command``, ``Snakefile``, ``Run directory`` and what else it begins with."""
    cores: int = 1
    planned: dict[str, int] = field(default_factory=dict)
    """Jobs by rule."""
    done: Counter[str] = field(default_factory=Counter)
    """Finished jobs by rule."""
    jobs: dict[int, Started] = field(default_factory=dict)
    failures: dict[int, tuple[str, str]] = field(default_factory=dict)
    """By job: the rule that failed, and its log file."""
    steps: tuple[int, int] = (0, 0)
    """Done, of all."""
    closed: bool = False
    """Whether Snakemake said goodbye."""
    nothing_to_do: bool = False
    refused: bool = False
    """Whether it ended before it had planned anything, such as in a locked folder."""

    @property
    def folder(self) -> Path:
        """The working folder, which its paths are relative to."""
        return self.path.parents[2]

    @property
    def start(self) -> datetime:
        """When Snakemake was started."""
        return datetime.strptime(self.path.name[:17], "%Y-%m-%dT%H%M%S")

    @property
    def complete(self) -> bool:
        """Whether all that was planned is done."""
        return self.nothing_to_do or (self.steps[1] > 0 and self.steps[0] == self.steps[1])


def newest_log(folder: Path) -> SnakemakeLog | None:
    """Return the log of the last invocation that planned its jobs, None where there was none.

    One that was refused, or drew the graph, or is still building it, has planned none.
    """
    return next((log for log in _logs(folder) if log.planned or log.nothing_to_do), None)


def plans_now(folder: Path) -> bool:
    """Say whether a Snakemake that works in the folder is still building its graph."""
    newest = next(_logs(folder), None)
    return newest is None or newest.closed or not newest.planned


def _logs(folder: Path) -> Iterator[SnakemakeLog]:
    """Yield the logs of all invocations that were not refused, the newest first."""
    paths = sorted((folder / ".snakemake/log").glob("*.snakemake.log"), reverse=True)
    return (log for log in map(parse, paths) if not log.refused)


def parse(path: Path) -> SnakemakeLog:
    """Read a log that may still be written to."""
    log = SnakemakeLog(path)
    lines = iter(path.read_text(errors="replace").splitlines())
    now = log.start
    for line in map(str.strip, lines):
        if match := _TIME.match(line):
            now = datetime.strptime(match[1], "%a %b %d %H:%M:%S %Y")
        elif match := _STARTED.match(line):
            log.jobs[int(match[1])] = Started(match[2], now)
        elif match := _FINISHED.match(line):
            log.done[match[2]] += 1
            log.failures.pop(int(match[1]), None)  # it was tried again
            if job := log.jobs.get(int(match[1])):
                job.end = now
        elif match := _STEPS.match(line):
            log.steps = int(match[1]), int(match[2])
        elif match := _ERROR.match(line):
            _failure(log, match[1], lines)
        elif line == "SNAKEMAKE":
            _header(log, lines)
        elif line.startswith("Provided cores: "):
            log.cores = int(re.findall(r"\d+", line)[0])
        elif line == "Job stats:":
            log.planned = dict(_planned(lines))
            log.steps = 0, sum(log.planned.values())
        elif line.startswith("Nothing to be done"):
            log.nothing_to_do = True
        elif not log.planned and _REFUSAL.match(line):
            log.refused = True
        elif line.startswith(("Complete log(s):", "Elapsed time:")):
            log.closed = True
    return log


def _header(log: SnakemakeLog, lines: Iterator[str]) -> None:
    """Read ``Key: value`` lines up to the empty line."""
    next(lines, None)  # the underline
    for line in lines:
        key, colon, value = line.strip().partition(": ")
        if not colon:
            return
        log.header[key] = value


def _planned(lines: Iterator[str]) -> Iterator[tuple[str, int]]:
    for line in lines:
        match = _PLANNED.match(line.strip())
        if match and match[1] == "total":
            return
        if match:
            yield match[1], int(match[2])


def _failure(log: SnakemakeLog, rule: str, lines: Iterator[str]) -> None:
    """Read the indented lines about a job that failed, up to its log file."""
    job = -1
    for line in map(str.strip, lines):
        key, _, value = line.partition(": ")
        if key == "jobid" and value.isdigit():
            job = int(value)
            log.failures[job] = rule, ""
            if job in log.jobs:
                log.jobs[job].failed = True
        elif key == "log":
            log.failures[job] = rule, value.removesuffix(" (check log file(s) for error details)")
            return
        elif key == "shell:" or line.endswith("shell:"):
            return
