"""Read what somebody sent: any of it may be damaged."""

from pathlib import Path
from typing import Any

from rungs.errors import UserError
from rungs.files import read_json


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object at ``path``.

    Raises:
        UserError: the file cannot be read, or holds something else.
    """
    found = read_json(path)
    if not isinstance(found, dict):
        raise UserError(f"{path}: is damaged, no JSON object; get it again")
    return found
