"""What `rungs.files.replacing` leaves beside a file when its process is killed."""

import re
from collections.abc import Collection
from pathlib import Path

LEFTOVER = re.compile(r"^\.(?P<file>.+)\.[a-z0-9_]{8}(\.[^.]+)?$")
"""A name that a file has while it is written."""


def remove_leftovers(folder: Path, before: float, ended: Collection[Path] = ()) -> None:
    """Remove half-written files below the folder.

    Args:
        folder: which need not exist.
        before: seconds since the epoch; what was written since may still be in use.
        ended: files that nobody writes any more: a job that was killed and ran again left its first
            try of them.
    """
    for path in folder.rglob(".*"):
        found = LEFTOVER.match(path.name)
        if found and path.is_file():
            unused = path.with_name(found["file"]) in ended or path.stat().st_mtime < before
            if unused:
                path.unlink(missing_ok=True)
