"""Questions to SLURM: its own commands, with an answer or a sentence within a minute."""

import getpass
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rungs.errors import UserError

PREFIX = "rungs_"
"""Of the names of our jobs, set by the profile; the rest says which Snakemake submitted them."""
ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"),
    *("PREEMPTED", "REVOKED", "TIMEOUT"),
}
_FORMAT = "%i|%T|%r|%j|%Z"


class ClusterJob(NamedTuple):
    """A job as SLURM knows it."""

    number: str
    state: str
    reason: str
    """Why it waits."""
    name: str

    @property
    def live(self) -> bool:
        """Whether it waits, runs, or has processes that have not ended yet."""
        return self.state not in ENDED


def ask(*command: str) -> str:
    """Return what a command of SLURM's prints.

    Raises:
        UserError: it does not exist, fails, or does not answer.
    """
    try:
        answer = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=True, timeout=60
        )
    except FileNotFoundError as error:
        raise UserError(
            f"{command[0]}: not found; on a cluster, run this where sbatch works"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{command[0]}: no answer within a minute") from error
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout or "").strip()
        raise UserError(f"{command[0]}: {words or f'exit status {error.returncode}'}") from error
    return answer.stdout


def jobs_of(folder: Path) -> list[ClusterJob]:
    """Return our jobs that were submitted from the folder and that SLURM remembers.

    Raises:
        UserError: SLURM does not answer.
    """
    words = ("squeue", "--noheader", "--states=all", f"--user={getpass.getuser()}")
    return parse(ask(*words, f"--format={_FORMAT}"), folder)


def parse(answer: str, folder: Path) -> list[ClusterJob]:
    """Read ``squeue``'s lines; jobs with other names, or from other folders, are not ours."""
    jobs = []
    for line in answer.splitlines():
        *fields, where = line.split("|", 4)
        job = ClusterJob(*fields)
        if job.name.startswith(PREFIX) and Path(where).resolve() == folder.resolve():
            jobs.append(job)
    return jobs


def cancel(jobs: Sequence[ClusterJob]) -> None:
    """Ask SLURM to end the jobs: each gets a SIGTERM, and some time after that a SIGKILL.

    Raises:
        UserError: SLURM refuses.
    """
    ask("scancel", *(job.number for job in jobs))
