"""Digests of files and of text."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rungs.errors import UserError


def file_digest(path: Path) -> str:
    """Return the SHA-256 of the file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_digest(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_undescribed(
    description: Mapping[str, Any], run: Path, files: Mapping[str, Path]
) -> None:
    """Refuse files of other bytes than a run describes.

    Args:
        description: what ``run.json`` says.
        run: the run's folder, for the message.
        files: by the name that their SHA-256 has in the description.

    Raises:
        UserError: names the first such file, and the way out.
    """
    for name, path in files.items():
        if file_digest(path) != description.get(name):
            raise UserError(
                f"{path}: is not the file whose {name} is in {run / 'run.json'}; it is damaged, or "
                "of another run: delete it and ask the workflow for it by name"
            )
