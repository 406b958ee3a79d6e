"""The jobs that Snakemake would run now, why, and what each waits for."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

from rungs.errors import UserError
from rungs.kept_settings import spelled_out
from rungs.records.events import DRY_RUN, read_events
from rungs.records.stages import log_of

COMMAND = ("python", "-m", "rungs")

Targets = Annotated[Sequence[str], "files to make; by default everything"]
ConfigFiles = Annotated[Sequence[Path], "as Snakemake's"]
ConfigValues = Annotated[Sequence[str], "KEY=VALUE, as Snakemake's"]
Directory = Annotated[Path, "where results/ is"]


def workflow_folder() -> Path:
    """Return the current folder, which has to be the workflow's.

    Raises:
        UserError: it has no Snakefile.
    """
    root = Path.cwd()
    if not (root / "Snakefile").exists():
        raise UserError(f"{root}: has no Snakefile; run this in the folder of the workflow")
    return root


class Job(NamedTuple):
    """One job that is to run."""

    rule: str
    wildcards: dict[str, str]
    after: tuple[int, ...] = ()
    """Positions, in the list, of the jobs that it waits for; they come before it."""
    reason: str = ""
    """In Snakemake's words."""
    command: tuple[str, ...] = ()
    """The words after ``python -m rungs``; none of a rule that only names targets."""

    @property
    def log(self) -> Path:
        """The job's log, which tells it from the others, relative to the folder of results."""
        log = log_of(self.command)
        assert log is not None, "every rule has a log"
        return log

    @property
    def address(self) -> tuple[str, ...]:
        """The parts of the log's path, such as runs, stories, short, rotary, seed0."""
        return self.log.with_suffix("").parts[1:]


def snakemake_words(
    target: Sequence[str], directory: Path, configfile: Sequence[Path], config: Sequence[str]
) -> list[str]:
    """Return what a command was given in Snakemake's own options, as Snakemake's words."""
    words = [*target, "--directory", str(directory)]
    if configfile:
        words += ["--configfile", *map(str, configfile)]
    if config:
        words += ["--config", *config]
    return words


def jobs_to_run(words: Sequence[str], folder: Path) -> list[Job]:
    """Return what ``snakemake WORDS`` would run, every job after those that it waits for.

    Snakemake is asked in a process of its own.

    Args:
        words: targets and options.
        folder: where ``results/`` is.

    Raises:
        UserError: Snakemake refuses, in its own words.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", *words]
    with TemporaryDirectory() as scratch:
        events = Path(scratch, "events.jsonl")
        answer = subprocess.run(  # noqa: S603
            command,
            env={**os.environ, DRY_RUN: str(events)},
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise UserError(f"Snakemake refuses:\n{_complaint(answer.stdout + answer.stderr)}")
        return read_jobs(events, folder)


def read_jobs(events: Path, folder: Path) -> list[Job]:
    """Return the jobs of a dry run's events, which come in the order in which they could run.

    Args:
        events: the file.
        folder: where ``results/`` is, with the settings that commands stand for.
    """
    jobs: list[Job] = []
    maker: dict[str, int] = {}
    for said in read_events(events):
        if said["event"] != "job_info":
            continue
        after = sorted({maker[file] for file in said["input"] if file in maker})
        words = shlex.split(said["shellcmd"] or "")[len(COMMAND) :]
        command = tuple(spelled_out(words, folder))
        maker.update(dict.fromkeys(said["output"], len(jobs)))
        jobs.append(
            Job(said["rule_name"], said["wildcards"], tuple(after), said["reason"], command)
        )
    return jobs


def _complaint(output: str) -> str:
    """Return the part of Snakemake's words that says what is wrong."""
    lines = output.strip().splitlines()
    starts = [
        i
        for i, line in enumerate(lines)
        if line.split(":")[0].split(" ")[0].endswith(("Error", "Exception"))
    ]
    complaint = lines[starts[0] :] if starts else lines[-20:]
    return "\n".join(line for line in complaint if not line.startswith("Using workflow specific"))
