"""A file of a form that we know and that anybody may have damaged or edited."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rungs.errors import UserError, guard
from rungs.files import read_json


@guard
@contextlib.contextmanager
def reading(path: Path, way_out: str = "delete it and run again") -> Iterator[None]:
    """Refuse a file that the block cannot make use of.

    Args:
        path: what the block reads.
        way_out: what to do about it.

    Raises:
        UserError: names the file, and the first thing that is wrong in it.
    """
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise UserError(f"{path}: {_problem(error)}; {way_out}") from error


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object at ``path``.

    Raises:
        UserError: the file cannot be read, or holds something else.
    """
    found = read_json(path)
    if not isinstance(found, dict):
        raise UserError(f"{path}: is damaged, no JSON object; get it again")
    return found


def _problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    if isinstance(error, KeyError):
        return f"has no {error.args[0]}"
    if isinstance(error, ValueError):
        first_line = str(error).partition("\n")[0]
        return f"is damaged ({first_line})"
    return "is damaged: a value is of another kind than is written there"
