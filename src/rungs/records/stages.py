"""The record of a finished stage: its command, and every definition it computed with.

The definitions are stored once for every digest of code, because many stages share one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rungs.code import PACKAGE, Definition, code_digest, reachable
from rungs.errors import UserError
from rungs.files import read_json, write_json
from rungs.kept_settings import spelled_out
from rungs.reading import reading

CODE = Path(".rungs/code")
STAGES = Path(".rungs/stages")


class Record(NamedTuple):
    """What a stage was when it ended well."""

    command: list[str]
    """The words after ``python -m rungs``, settings spelled out as far as they are kept."""
    code: dict[Definition, str] | None
    """The digest of every definition; None where it is not known any more."""


def log_of(command: Sequence[str]) -> Path | None:
    """Return the log of a command, which tells jobs apart; None for a stage run by hand."""
    log = option(command, "--log")
    return Path(log) if log else None


def option(command: Sequence[str], name: str) -> str | None:
    """Return the word that follows an option."""
    return command[command.index(name) + 1] if name in command[:-1] else None


def unused(command: Sequence[str], folder: Path = Path()) -> frozenset[Definition]:
    """Return the definitions that this use of a stage never calls, as the workflow leaves out.

    Args:
        command: the words after ``python -m rungs``.
        folder: what the command's paths are relative to.
    """
    architecture, budget = option(command, "--architecture"), option(command, "--budget")
    run = option(command, "--run")
    # Only stages that need its modules anyway wait for the import.
    if architecture and budget:
        from rungs.model.architecture import Architecture
        from rungs.training.budget import Budget
        from rungs.training.pieces import unused_by_run

        return unused_by_run(
            Architecture.model_validate_json(architecture), Budget.model_validate_json(budget)
        )
    if run:
        from rungs.model.architecture import Architecture
        from rungs.training.pieces import unused_by_model

        description = folder / run / "run.json"
        if description.exists():
            with reading(description):
                architecture = read_json(description)["architecture"]
                return unused_by_model(Architecture.model_validate(architecture))
    return frozenset()


def refuse_other_code(command: Sequence[str], module: str, expected: str) -> None:
    """Refuse to compute with code that was edited after the workflow was started.

    Snakemake would record the result under the digest of the code that it read at its start.

    Args:
        command: the words after ``python -m rungs``.
        module: the stage's module, imported already.
        expected: the digest of its code at the start.

    Raises:
        UserError: the code is another.
    """
    if (found := code_digest(module, unused(command))) != expected:
        raise UserError(
            f"{PACKAGE}: the code of `{command[0]}` is not the one that this workflow was started "
            f"with (digest {found}, not {expected}): it was edited meanwhile. Nothing was "
            "computed; run the same command again"
        )


class Running(NamedTuple):
    """A stage that is running, and the code that it started with."""

    log: Path
    command: Sequence[str]
    code_digest: str
    code: dict[Definition, str]


def start(log: Path, command: Sequence[str], module: str) -> Running:
    """Return what to write down when this command of the stage in ``module`` ends well."""
    without = unused(command)
    return Running(log, command, code_digest(module, without), reachable(module, without))


def write(stage: Running) -> None:
    """Keep the record of a stage that ended well, in the current folder."""
    code = CODE / f"{stage.code_digest}.json"
    if not code.exists():
        write_json(code, {str(part): digest for part, digest in stage.code.items()})
    write_json(_place(stage.log), {"command": list(stage.command), "code": stage.code_digest})


def read(folder: Path, log: Path) -> Record | None:
    """Return the last record of the job with this log; None where it never ended well.

    Args:
        folder: where ``results/`` is.
        log: relative to the folder.
    """
    place = folder / _place(log)
    if not place.exists():
        return None
    with reading(place):
        found: dict[str, Any] = read_json(place)
        code = folder / CODE / f"{found['code']}.json"
        command = spelled_out(found["command"], folder)
    return Record(command, _definitions(read_json(code)) if code.exists() else None)


def last(folder: Path, logs: Sequence[Path]) -> Record | None:
    """Return the record of the job that ended last, of jobs that make the same files.

    Args:
        folder: where ``results/`` is.
        logs: the jobs' logs, relative to the folder.
    """
    ended = {log: folder / _place(log) for log in logs if (folder / _place(log)).exists()}
    if not ended:
        return None
    return read(folder, max(ended, key=lambda log: ended[log].stat().st_mtime_ns))


def _place(log: Path) -> Path:
    return STAGES / log.with_suffix(".json")


def _definitions(stored: dict[str, str]) -> dict[Definition, str]:
    parts = ((*key.partition(":"), digest) for key, digest in stored.items())
    return {Definition(module, name): digest for module, _, name, digest in parts}
