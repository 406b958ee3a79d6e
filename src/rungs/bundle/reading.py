"""Open a results folder or a bundle, zipped or unpacked: what its checksums vouch for."""

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from rungs.bundle.crate import METADATA, checksums
from rungs.digest import file_digest
from rungs.errors import UserError

LARGEST = 512 * 2**20
"""Bytes that a bundle may unpack to: a hundred times what one holds."""


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield the folder itself, or one into which the bundle is unpacked for the time being.

    A folder with a bundle's metadata is a bundle that somebody unpacked.

    Raises:
        UserError: there is neither, or a file of the bundle is missing, added or damaged.
    """
    if path.is_dir():
        if (path / METADATA).is_file():
            verify(path)
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="rungs-") as folder:
        unpack(path, Path(folder))
        yield Path(folder)


def verify(folder: Path) -> None:
    """Verify every file of an unpacked bundle; what else lies in the folder is no part of it.

    Raises:
        UserError: a file is missing or damaged.
    """
    way_out = f"get it again, or delete {folder / METADATA} to read the folder as it is"
    try:
        expected = _expected(folder, (folder / METADATA).read_bytes())
        for name, digest in expected.items():
            if file_digest(folder / name) != digest:
                raise UserError(f"{folder / name}: is damaged (checksum); {way_out}")
    except OSError as error:
        raise UserError(
            f"{error.filename}: cannot be read ({error.strerror}); {way_out}"
        ) from error


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
            if METADATA not in entries:
                raise UserError(
                    f"{bundle}: has no {METADATA}, so it is none of ours; make bundle makes one"
                )
            expected = _expected(bundle, _content(bundle, archive, METADATA))
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
    # zipfile raises the second for a compression or an encryption that it does not know.
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise UserError(f"{bundle}: is not a bundle ({error}); get it again") from error


def _expected(bundle: Path, metadata: bytes) -> dict[str, str]:
    try:
        expected = checksums(json.loads(metadata))
        if not all(isinstance(part, str) for entry in expected.items() for part in entry):
            raise TypeError("a name or a checksum is not a text")
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"{bundle}: {METADATA} is damaged ({error}); get it again") from error
    for name in expected:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
            raise UserError(f"{bundle}: {name!r} would lie outside of the bundle")
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
