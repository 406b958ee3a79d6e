"""Digests of files and of text."""

import hashlib
from pathlib import Path


def file_digest(path: Path) -> str:
    """Return the SHA-256 of the file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_digest(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
