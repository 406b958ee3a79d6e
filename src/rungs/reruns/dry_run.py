"""What Snakemake would run, with its reasons and the commands."""

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rungs.errors import UserError
from rungs.kept_settings import spelled_out
from rungs.records.stages import log_of

_JOB = re.compile(r"^Job \d+: .*\nReason: (.*)\nShell command: python -m rungs (.*)$", re.MULTILINE)


class Job(NamedTuple):
    """One job that is to run."""

    reason: str
    """In Snakemake's words."""
    command: list[str]
    """The words after ``python -m rungs``."""

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


def dry_run(words: Sequence[str], folder: Path) -> list[Job]:
    """Return what ``snakemake WORDS`` would run.

    Snakemake is asked in a process of its own.

    Args:
        words: targets and options.
        folder: where ``results/`` is.

    Raises:
        UserError: Snakemake refuses, in its own words.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--printshellcmds", *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if answer.returncode:
        raise UserError(f"Snakemake refuses:\n{_complaint(answer.stdout + answer.stderr)}")
    return [job._replace(command=spelled_out(job.command, folder)) for job in parse(answer.stdout)]


def parse(output: str) -> list[Job]:
    """Read Snakemake's report of a dry run, in the order of the report."""
    return [Job(reason, shlex.split(command)) for reason, command in _JOB.findall(output)]


def _complaint(output: str) -> str:
    """Return the part of Snakemake's words that says what is wrong."""
    lines = output.strip().splitlines()
    starts = [i for i, line in enumerate(lines) if re.match(r"\w*(Error|Exception)\b", line)]
    complaint = lines[starts[0] :] if starts else lines[-20:]
    return "\n".join(line for line in complaint if not line.startswith("Using workflow specific"))
