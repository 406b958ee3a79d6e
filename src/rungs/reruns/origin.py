"""Where a run comes from, trained here or taken from an archive, and the edit that changed it."""

import os
from collections.abc import Sequence
from pathlib import Path

from rungs.planning.jobs import Job
from rungs.records import stages
from rungs.reruns.edits import Edit


def other_origin(job: Job, archive: str | None, folder: Path) -> list[Edit]:
    """Return why a run's files would come from elsewhere than last time; nothing if they do not.

    Whatever Snakemake names besides (inputs, command, parameters) is that of another rule.

    Args:
        job: the job.
        archive: the configuration's key, relative to the current folder, which is the workflow's.
        folder: where ``results/`` is.
    """
    record = stages.last(folder, [job.log, *_makes_the_same(job)])
    if record is None:
        return []
    was, now = (_archive_of(command, folder) for command in (record.command, job.command))
    if was == now:
        return []
    if was is None:
        return [Edit("archive", f'is now "{now}", so that these are taken, not trained')]
    if now is not None:
        return [Edit("archive", f'was "{was}", is now "{now}"')]
    if archive is not None and os.path.relpath(archive) == was:
        gone = not (folder / _archived(record.command)).exists()
        return [Edit("archive", f'"{was}" {_LACKS if gone else _DIFFERS}')]
    shown = "nothing" if archive is None else f'"{archive}"'
    return [Edit("archive", f'was "{was}", is now {shown}, so that these are trained, not taken')]


_LACKS = "does not have these any more"
_DIFFERS = "has these with other settings than are configured"


def _makes_the_same(job: Job) -> list[Path]:
    """Return the log of the job that makes files of this one where a run is from elsewhere."""
    match job.address:
        case ("archive", *address) if job.command[0] == "take-from-archive":
            logs = [Path("logs/runs", *address)]
        case ("archive", *address):
            logs = [Path("logs", *address)]
        case ("runs" | "evaluations", *address):
            logs = [Path("logs/archive", *address)]
        case ("samples", *_):
            logs = [Path("logs/archive", *job.address)]
        case _:
            logs = []
    return [log.with_suffix(".log") for log in logs]


def _archive_of(command: Sequence[str], folder: Path) -> str | None:
    """Return the archive that a command takes a run from, None for one that takes none."""
    archived = _archived(command)
    if not archived:
        return None
    # Its path is relative to where the folder is, links followed, as a job sees it. In the archive,
    # a run's address has four parts.
    return os.path.relpath(folder.resolve() / Path(archived).parents[3])


def _archived(command: Sequence[str]) -> str:
    return stages.option(command, "--archived") or ""
