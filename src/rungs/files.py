"""Files that are either whole or absent, and JSON that is always spelled the same way."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rungs.errors import UserError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it there when the block ends well.

    The bytes reach the disk before the rename, so that a crash leaves the old file or the new
    one and never a part of it. The temporary file has the suffix of ``path``, because some
    writers choose the format by it.

    Raises:
        UserError: the folder cannot be written, or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix
        )
        os.close(handle)
    except OSError as error:
        raise UserError(f"{path}: cannot write here ({error.strerror})") from error
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise UserError(f"{path}: writing failed ({error.strerror or error})") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 ``text`` to ``path`` atomically, with the newlines it has."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` to ``path`` atomically as indented JSON; NaN and infinity are refused."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Return the JSON value in ``path``.

    Raises:
        UserError: the file is missing, unreadable or not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: is not valid JSON ({error}); delete it and run again") from error


def canonical_json(value: Any) -> str:
    """Return ``value`` as JSON with sorted keys and no spaces: equal values, equal strings."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
