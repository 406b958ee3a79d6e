"""What `rungs.files.replacing` leaves beside a file when its process is killed."""

import re
from pathlib import Path

LEFTOVER = re.compile(r"^\..+\.[a-z0-9_]{8}(\.[^.]+)?$")
"""A name that a file has while it is written."""


def remove_leftovers(folder: Path, before: float) -> None:
    """Remove half-written files below the folder.

    Args:
        folder: which need not exist.
        before: seconds since the epoch; what was written since may still be in use.
    """
    for path in folder.rglob(".*"):
        if LEFTOVER.match(path.name) and path.is_file() and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
