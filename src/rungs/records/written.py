"""The SHA-256 of every file that a stage wrote, so that nothing is computed with other bytes.

A stage never leaves half a file, but a disk, a copy or a hand may change one later, and a table
with another digit is still a table. See docs/decisions/checksums.md.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import canonical_json, read_json, write_text

WRITTEN = Path(".rungs/written")
SEEN = Path(".rungs/seen.json")
"""Files that were compared, with their stamps: they are not read again until these change."""

NOT_RECORDED = ("logs", "checkpoints", "partial")

SHOWN = 20
"""Changed files that one message names."""

Stamp = list[int]
"""Of a file: size, times of its content and of its entry in nanoseconds, and inode. Whoever sets
the first time back changes the second."""

Seen = dict[str, list[str | int]]
"""The digest and the stamp, in one list, of files that were compared."""


def refuse_changed(arguments: Mapping[str, Any]) -> None:
    """Refuse bytes that are not those that a stage wrote.

    Files that the stage was given, or that lie in a folder that it was given, are read whole; what
    lies deeper only if it changed since the workflow last looked. What is recorded of files that
    are gone is forgotten, those that the stage is about to write among them.

    Raises:
        UserError: there are such files; a line each.
    """
    problems = {}
    for path in _paths(arguments):
        folder = _workflow_of(path)
        seen = _seen(folder)
        for file, record in _recorded(folder, path):
            if not file.is_file():
                record.unlink(missing_ok=True)
                continue
            direct = path in (file, file.parent)
            if _differs(file, record, {} if direct else seen, str(file.relative_to(folder))):
                problems[file] = (
                    f"{file}: its bytes are not those that a stage wrote: it is damaged, or was "
                    "edited. Delete it and ask the workflow for it by name, which makes it again; "
                    f"or, to use it as it is, delete {record}"
                )
    if problems:
        raise UserError("\n".join(problems[file] for file in sorted(problems)))


def refuse_changed_results(command: str, typed: Path) -> None:
    """Refuse to start a workflow, in the current folder, over results that no stage wrote so.

    A file whose stamp is known is not read: where nothing happened, the cost is a stamp a file.

    Args:
        command: what makes the files again whose names follow.
        typed: the current folder as a reader types it.

    Raises:
        UserError: names the files, and both ways out.
    """
    before, after = _seen(Path()), Seen()
    changed = {}
    for file, record in _recorded(Path(), Path("results")):
        if not file.is_file():
            continue
        if _differs(file, record, before, str(file)):
            changed[file] = record.stat().st_mtime_ns
        else:
            after[str(file)] = [record.read_text(), *_stamp(file)]
    if after != before:
        write_text(SEEN, canonical_json(after))
    if changed:
        # As they were made, and one after the other: with tokens and a report in one command,
        # Snakemake would make again everything that lies between.
        shown = sorted(changed, key=changed.__getitem__)[:SHOWN]
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        commands = " && ".join(f"{command} {shlex.quote(str(file))}" for file in shown)
        raise UserError(
            f"{', '.join(map(str, shown))}{more}: no stage wrote these bytes; damaged, or edited. "
            "To have them made again, and then only what differs because of them, type\n"
            f"  rm {shlex.join(str(typed / file) for file in shown)} && {commands}\n"
            "and the same command as now; to use them as they are, type\n"
            f"  rm {shlex.join(str(typed / WRITTEN / file) for file in shown)}"
        )


def stamps(arguments: Mapping[str, Any]) -> dict[Path, Stamp]:
    """Return the files that are arguments of the stage, or lie in a folder that is one."""
    found = {}
    for path in _paths(arguments):
        for file in path.glob("[!.]*") if path.is_dir() else [path]:
            if file.is_file():
                found[file] = _stamp(file)
    return found


def write(arguments: Mapping[str, Any], before: dict[Path, Stamp]) -> None:
    """Record the digests of the files that the stage replaced or made since ``before``."""
    for path, stamp in stamps(arguments).items():
        if before.get(path) != stamp:
            folder = _workflow_of(path)
            write_text(folder / WRITTEN / path.relative_to(folder), file_digest(path))


def _differs(file: Path, record: Path, seen: Seen, name: str) -> bool:
    digest = record.read_text(errors="replace")
    return seen.get(name) != [digest, *_stamp(file)] and file_digest(file) != digest


def _seen(folder: Path) -> Seen:
    seen = read_json(folder / SEEN) if (folder / SEEN).exists() else {}
    return seen if isinstance(seen, dict) else {}


def _recorded(folder: Path, path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield every recorded file at or below the path, sorted, and its record."""
    top = folder / WRITTEN / path.relative_to(folder)
    for record in [top, *sorted(top.rglob("*"))]:
        if record.is_file():
            yield path / record.relative_to(top), record


def _workflow_of(path: Path) -> Path:
    """Return the folder whose workflow keeps the records of a file, or of a folder's files.

    That is the nearest folder above it with records, for a stage may be given another workflow's
    results; without one, the current folder.
    """
    return next((above for above in path.parents if (above / WRITTEN).is_dir()), Path())


def _stamp(file: Path) -> Stamp:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _paths(arguments: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the paths below the current folder that a stage was given.

    Not logs, and not the folders of checkpoints and half downloads: other stages write there
    meanwhile, and know by themselves whether their own is whole.
    """
    for name, value in arguments.items():
        for path in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(path, Path) or name in NOT_RECORDED:
                continue
            if not path.is_absolute() and ".." not in path.parts:
                yield path
