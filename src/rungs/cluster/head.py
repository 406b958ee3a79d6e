"""The head: the Snakemake that submits jobs. What it does before the first, and beside them."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from rungs.cluster import slurm
from rungs.cluster.attendance import Attendance
from rungs.cluster.status import status
from rungs.errors import UserError
from rungs.records import lease

INTERRUPT = signal.SIGUSR1
"""Not SIGINT, which is ignored by what a script starts in the background."""
HEAD = Path(".rungs/head.json")
PATIENCE_SECONDS = 600.0
"""For a cancelled job to end: SLURM's own grace and kill times are far below."""


def attend(
    stack: contextlib.ExitStack, expected: Callable[[], int], say: Callable[[str], None]
) -> None:
    """Take over the current folder: end what an earlier head left, and attend to what is to come.

    Args:
        stack: keeps this head's lease until it is closed.
        expected: returns how many cluster jobs are submitted and unfinished.
        say: told in sentences.

    Raises:
        UserError: SLURM does not answer, would not say how jobs end, or another head works here.
    """
    slurm.ask("sinfo", "--noheader", "--format=%P")
    chosen = status()
    if chosen.problem:
        raise UserError(chosen.problem)
    say(chosen.sentence)
    if other := lease.holder(HEAD, say):
        raise UserError(
            f"{Path.cwd()}: another Snakemake submits jobs from here ({other}). Stop it first, "
            "or wait for its end"
        )
    signal.signal(INTERRUPT, signal.default_int_handler)
    stack.enter_context(lease.held(HEAD, stop=_interrupt, say=say))
    _end_predecessors(Path.cwd(), say)
    Attendance(
        look=lambda: slurm.jobs_of(Path.cwd()),
        expected=expected,
        say=say,
        requeue=_requeue,
        give_up=_interrupt,
    ).start()


def _end_predecessors(folder: Path, say: Callable[[str], None]) -> None:
    """Cancel what an earlier head submitted and nobody would hear of; wait for the checkpoints."""
    left = [job for job in slurm.jobs_of(folder) if job.live]
    if not left:
        return
    numbers = ", ".join(job.number for job in left)
    say(
        f"SLURM: cancelled what an earlier Snakemake submitted from this folder: job {numbers}. "
        "What it trained is in checkpoints"
    )
    slurm.cancel(left)
    started = said = time.monotonic()
    while left := [job for job in slurm.jobs_of(folder) if job.live]:
        if time.monotonic() - started > PATIENCE_SECONDS:
            numbers = " ".join(job.number for job in left)
            raise UserError(
                f"SLURM: cancelled jobs do not end ({numbers}); ask the administrators about their "
                "nodes, and run again when squeue does not list them any more"
            )
        if time.monotonic() - said > 30:
            said = time.monotonic()
            say(f"SLURM: cancelled jobs that have not ended yet: {len(left)}; waiting for them")
        time.sleep(1)


def _requeue(job: slurm.ClusterJob) -> None:
    slurm.ask("scontrol", "requeue", job.number)


def _interrupt() -> None:
    """Stop this Snakemake as Ctrl-C does, from any thread."""
    os.kill(os.getpid(), INTERRUPT)
