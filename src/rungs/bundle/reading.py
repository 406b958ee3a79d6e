"""Open a results folder or a bundle; of a bundle, only what its checksums vouch for."""

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from rungs.bundle.crate import METADATA, checksums
from rungs.errors import UserError

LARGEST = 512 * 2**20
"""Bytes that a bundle may unpack to: a hundred times what one holds."""


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield the folder itself, or one into which the bundle is unpacked for the time being.

    Raises:
        UserError: there is neither, or a file of the bundle is missing, added or damaged.
    """
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="rungs-") as folder:
        unpack(path, Path(folder))
        yield Path(folder)


def unpack(bundle: Path, folder: Path) -> None:
    """Verify every file of the bundle and write it below the folder.

    Raises:
        UserError: the bundle cannot be read, or a file is missing, added or damaged.
    """
    try:
        with zipfile.ZipFile(bundle) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if sum(entry.file_size for entry in entries.values()) > LARGEST:
                raise UserError(f"{bundle}: unpacks to more than a bundle holds; not opened")
            expected = _expected(bundle, archive)
            _same_files(bundle, set(expected), set(entries) - {METADATA})
            for name, digest in expected.items():
                content = _content(bundle, archive, name)
                if hashlib.sha256(content).hexdigest() != digest:
                    raise UserError(f"{bundle}: {name} is damaged (checksum); get it again")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"{bundle}: cannot be read ({reason}); give a folder or a zip") from error
    except zipfile.BadZipFile as error:
        raise UserError(f"{bundle}: is not a bundle ({error}); get it again") from error


def _expected(bundle: Path, archive: zipfile.ZipFile) -> dict[str, str]:
    if METADATA not in archive.namelist():
        raise UserError(f"{bundle}: has no {METADATA}, so it is no bundle of ours")
    try:
        expected = checksums(json.loads(_content(bundle, archive, METADATA)))
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"{bundle}: {METADATA} is damaged ({error}); get it again") from error
    for name in expected:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
            raise UserError(f"{bundle}: {name!r} would be written outside of the bundle")
    return expected


def _same_files(bundle: Path, described: set[str], packed: set[str]) -> None:
    for name in sorted(described ^ packed):
        problem = "is missing" if name in described else "is not described"
        raise UserError(f"{bundle}: {name} {problem}; get the bundle again")


def _content(bundle: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise UserError(f"{bundle}: {name} is damaged ({error}); get it again") from error
