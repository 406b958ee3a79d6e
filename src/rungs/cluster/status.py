"""How the ends of jobs are noticed: through accounting where there is any, else the queue.

Decided once, before the first job. The executor plugin takes ``sacct`` wherever the command
exists; on a cluster without accounting it then never hears of any end, and says nothing.
"""

import re
from functools import cache
from typing import NamedTuple

from rungs.cluster.slurm import ask
from rungs.errors import UserError

REMEMBERED_SECONDS = 180
"""How long SLURM must remember an ended job: several looks at the jobs, of which some may fail. The
plugin insists on three, else it asks ``sacct`` after all."""


class Status(NamedTuple):
    """The command that is asked, and why."""

    command: str
    sentence: str
    problem: str = ""
    """Why neither command is enough."""


@cache
def status() -> Status:
    """Return the command through which the ends of jobs are noticed here."""
    try:
        ask("sacct", "--allocations", "--noheader", "--starttime=now", "--format=JobID")
    except UserError as error:
        refused = str(error)
    else:
        return Status("sacct", "SLURM: the ends of jobs are noticed through sacct, which answers")
    sentence = f"SLURM: the ends of jobs are noticed through squeue ({refused})"
    try:
        configuration = ask("scontrol", "show", "config")
    except UserError as error:
        return Status("squeue", sentence, str(error))
    remembered = re.search(r"^MinJobAge\s*=\s*(\d+)", configuration, re.MULTILINE)
    seconds = int(remembered[1]) if remembered else 0
    if seconds > REMEMBERED_SECONDS:
        return Status("squeue", sentence)
    return Status(
        "squeue",
        sentence,
        f"SLURM forgets a job {seconds} s after its end (MinJobAge) and keeps no accounting "
        f"({refused}), so that the end of a job would be missed and waited for without end. Ask "
        f"the administrators for a MinJobAge above {REMEMBERED_SECONDS} s, its default being "
        "300, or for accounting",
    )
