"""The edits behind a job that is to run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rungs.code import Definition, reachable
from rungs.planning.jobs import Job
from rungs.records import stages
from rungs.reruns.settings import differences, is_file
from rungs.tables.numbers import counted


class Edit(NamedTuple):
    """One thing that changed."""

    where: str
    """The file, or the key of the configuration."""
    what: str


_NOT_MADE = Edit("results/", "has none of these yet")


def edits(job: Job, module: str, folder: Path) -> list[Edit]:
    """Return what changed for a job; nothing if it only reads what other jobs make anew.

    Args:
        job: the job.
        module: the module of its stage.
        folder: where ``results/`` is.
    """
    record = stages.read(folder, job.log)
    found: list[Edit] = []
    for reason, details in _reasons(job.reason):
        if reason == "Missing output files":
            found += _missing(job, details, record is not None, folder)
        elif reason == "Incomplete output files":
            found.append(Edit(details.split(", ")[0], "was being written when its job was killed"))
        elif reason == "Updated input files":
            found += [Edit(path, "has another content") for path in sorted(details.split(", "))]
        elif reason.startswith("Set of input files"):
            found.append(_other_inputs(job, record))
        elif reason.startswith("Code has changed"):
            found.append(Edit("workflow/rules", f"the command of `{job.command[0]}` changed"))
        elif reason.startswith("Params have changed"):
            found += _settings_and_code(job, module, record, folder)
        elif reason.startswith("Forced"):
            found.append(Edit("the command line", "asks for it"))
    return found


def _reasons(words: str) -> Iterator[tuple[str, str]]:
    """Yield each of Snakemake's reasons, and the files it names."""
    # What follows the parameters is made of their values, which may be any text.
    before, parameters, _ = words.partition("Params have changed since last execution")
    for sentence in before.split("; "):
        if sentence:
            reason, _, details = sentence.partition(": ")
            yield reason, details
    if parameters:
        yield parameters, ""


def _missing(job: Job, details: str, made_before: bool, folder: Path) -> Iterator[Edit]:
    files = sorted(details.split(", "))
    if made_before:
        yield Edit(", ".join(files), "was deleted" if len(files) == 1 else "were deleted")
    elif job.command[0] == "train":
        _, corpus, budget, variant, seed = job.address
        runs = folder / "results/runs"
        if any((runs / corpus / budget / variant).glob("seed*/run.json")):
            yield Edit("seeds", f"{seed.removeprefix('seed')} is new")
        elif any(runs.glob(f"*/*/{variant}/seed*/run.json")):
            yield Edit(f"variants.{variant}", f"has no run on {corpus}, {budget}")
        elif any(runs.glob("*/*/*/seed*/run.json")):
            yield Edit(f"variants.{variant}", "is new")
        else:
            yield _NOT_MADE
    elif "Input files updated by another job" not in job.reason:
        yield _NOT_MADE


def _other_inputs(job: Job, record: stages.Record | None) -> Edit:
    where = "/".join(job.address)
    if record is not None:
        before, now = ({*filter(is_file, c)} for c in (record.command, job.command))
        changed = [f"{counted(len(now - before), 'file')} more"] if now - before else []
        changed += [f"{counted(len(before - now), 'file')} fewer"] if before - now else []
        if changed:
            return Edit(f"inputs of {where}", f"{' and '.join(changed)} than last time")
    return Edit(f"inputs of {where}", "are other files than last time")


def _settings_and_code(
    job: Job, module: str, record: stages.Record | None, folder: Path
) -> Iterator[Edit]:
    if record is None or record.code is None:
        yield Edit(f"settings or code of `{job.command[0]}`", "changed; no record says what")
        return
    for key, words in differences(job.address, record.command, job.command):
        yield Edit(key, words)
    now = reachable(module, stages.unused(job.command, folder))
    for part in sorted(record.code.keys() | now.keys()):
        if record.code.get(part) != now.get(part):
            yield Edit(_file(part), _definition(part, record.code, now))


def _definition(part: Definition, old: dict[Definition, str], new: dict[Definition, str]) -> str:
    name = f"`{part.name}`" if part.name else "what it runs on import"
    if part not in old:
        return f"{name} is used now"
    return f"{name} changed" if part in new else f"{name} is not used any more"


def _file(part: Definition) -> str:
    return re.sub(r"^rungs/?", "", part.module.replace(".", "/")) + ".py"
