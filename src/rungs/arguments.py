"""What no stage can compute with, said in one line before it starts or instead of a traceback."""

import errno
import math
import os
import re
from collections.abc import Mapping
from typing import Any

from rungs.errors import UserError

SEED_LIMIT = 2**31
"""Every seed is below, in a configuration and on the command line."""

LARGEST = 2**63 - 1
"""That a tensor's size can be."""

LONGEST_NAME = 200
"""Letters of a path that are shown: a swapped option may be a page of JSON."""

_DISK_FULL = os.strerror(errno.ENOSPC)
_OUT_OF_MEMORY = re.compile("out of memory|can't allocate memory", re.IGNORECASE)


def refuse_impossible_numbers(values: Mapping[str, Any]) -> None:
    """Refuse counts below one, seeds out of bounds, and numbers that are negative or not finite.

    Raises:
        UserError: names the option and its value.
    """
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        for number in value if isinstance(value, list | tuple) else [value]:
            if isinstance(number, bool):
                continue
            if isinstance(number, int) and number < (0 if name == "seed" else 1):
                least = "0" if name == "seed" else "1"
                raise UserError(f"{option}: {number} is too small; give {least} or more")
            if name == "seed" and number >= SEED_LIMIT:
                raise UserError(f"{option}: {number} is too large; give {SEED_LIMIT - 1} or less")
            if isinstance(number, int) and number > LARGEST:
                raise UserError(f"{option}: {str(number)[:40]} is too large; give less")
            if isinstance(number, float) and not (math.isfinite(number) and number >= 0):
                raise UserError(f"{option}: {number:g} is no amount; give 0 or more")


def is_out_of_memory(error: BaseException) -> bool:
    """Tell a failed allocation from a defect, by its words: torch has no type for it on a CPU."""
    return isinstance(error, MemoryError) or bool(_OUT_OF_MEMORY.search(str(error)))


def sentence(error: Exception) -> str | None:
    """Return in one line what is wrong with settings or a file; None for another kind of error."""
    from json import JSONDecodeError

    from pydantic import ValidationError

    if isinstance(error, JSONDecodeError):
        return f"{error.doc[:40]!r} is not valid JSON ({error})"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        path = "".join(f"{part}: " for part in (error.title.lower(), *first["loc"]))
        return f"{path}{first['msg'].removeprefix('Value error, ')}"
    if isinstance(error, RecursionError):
        return "what is given as JSON is nested too deeply; write it as the workflow does"
    if isinstance(error, OSError) and error.filename and error.errno != errno.ENOSPC:
        return f"{str(error.filename)[:LONGEST_NAME]}: cannot be used ({error.strerror})"
    if str(error).startswith("Symlink loop"):  # of pathlib, until Python 3.13
        return f"{error}; give another path"
    if _DISK_FULL in str(error):  # of a library that has a type of its own for it
        return f"the disk is full, make room and run again ({error})"
    if is_out_of_memory(error):
        detail = str(error).partition("\n")[0] or "MemoryError"
        return (
            "there is too little memory here for these settings, make the largest smaller "
            f"({detail})"
        )
    return None
