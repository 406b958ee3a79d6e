"""The sizes of the files that stages wrote, so that a file cut short later is not taken for whole.

A stage never leaves half a file, but a disk or a hand may: a table cut at the end of a line is
still a table.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from rungs.errors import UserError
from rungs.files import write_text

SIZES = Path(".rungs/sizes")

NOT_RECORDED = ("log", "logs", "checkpoints")

Stamps = dict[Path, tuple[int, int]]
"""Files, with what changes when one is replaced."""


def refuse_changed(arguments: argparse.Namespace) -> None:
    """Refuse files whose size is not the one that their stage left.

    What is recorded of files that are gone is forgotten, those that the stage is about to write
    among them.

    Raises:
        UserError: such files are arguments of the stage, or in a folder that is one; a line each.
    """
    records = dict(found for path in _paths(arguments) for found in _recorded(path))
    problems = [_changed(records[record], record) for record in sorted(records)]
    if found := "\n".join(filter(None, problems)):
        raise UserError(found)


def stamps(arguments: argparse.Namespace) -> Stamps:
    """Return the files that are arguments of the stage, or lie in a folder that is one."""
    found = {}
    for path in _paths(arguments):
        for file in path.glob("[!.]*") if path.is_dir() else [path]:
            if file.is_file():
                status = file.stat()
                found[file] = (status.st_ino, status.st_mtime_ns)
    return found


def write(arguments: argparse.Namespace, before: Stamps) -> None:
    """Record the sizes of the files that the stage replaced or made since ``before``."""
    for path, stamp in stamps(arguments).items():
        if before.get(path) != stamp:
            write_text(_record(path), f"{path.stat().st_size}\n")


def _recorded(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield every record of a file at or below the path, and that file."""
    top = _record(path)
    for record in [top, *top.rglob("*")]:
        if record.is_file():
            yield record, path / record.relative_to(top)


def _record(path: Path) -> Path:
    """Return where a file's size is recorded, or a folder's files' are: by the workflow it is of.

    That is the nearest folder above it with records, for a stage may be given another workflow's
    results; without one, the current folder.
    """
    folder = next((above for above in path.parents if (above / SIZES).is_dir()), Path())
    return folder / SIZES / path.relative_to(folder)


def _changed(path: Path, record: Path) -> str:
    """Say how a file differs from its record; nothing where it does not, or is gone."""
    try:
        size, written = path.stat().st_size, int(record.read_text())
    except (FileNotFoundError, ValueError):
        record.unlink(missing_ok=True)
        return ""
    if size == written:
        return ""
    return (
        f"{path}: has {size:,} bytes, where the stage that wrote it left {written:,}: it was "
        f"cut short or edited. Delete it and run again without a target; or, to use it as it is, "
        f"delete {record}"
    )


def _paths(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the paths below the current folder that a stage was given.

    Not logs, and not the folder of checkpoints: other runs write there meanwhile, and a run knows
    by itself whether its own is whole.
    """
    for name, value in vars(arguments).items():
        for path in value if isinstance(value, list) else [value]:
            if not isinstance(path, Path) or name in NOT_RECORDED:
                continue
            if not path.is_absolute() and ".." not in path.parts:
                yield path
