"""Settings of any length, in files that are named by their content.

One word of a command has at most 128 KiB on Linux, and a terminal shows less. A command names the
file instead, and a changed setting is another name.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from rungs.digest import text_digest
from rungs.errors import UserError
from rungs.files import write_text

FOLDER = Path(".rungs/settings")
_KEPT = re.compile(rf"{re.escape(str(FOLDER))}/([0-9a-f]{{16}})\.json")


def keep(text: str) -> str:
    """Keep a text in the current folder, and return the word that stands for it in a command."""
    path = FOLDER / f"{_digest(text)}.json"
    if not path.exists():
        write_text(path, text)
    return str(path)


def spelled_out(command: Sequence[str], folder: Path = Path()) -> list[str]:
    """Return the command with the texts that its words stand for, as far as they are there.

    Args:
        command: the words.
        folder: where they were kept.

    Raises:
        UserError: a file does not hold the text that it was named by.
    """
    return [_text(folder / word) or word if is_kept(word) else word for word in command]


def is_kept(word: str) -> bool:
    """Say whether the word stands for a text."""
    return bool(_KEPT.fullmatch(word))


def _text(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    if _digest(text) != path.stem:
        raise UserError(f"{path}: is not what was written; delete it and run again")
    return text


def _digest(text: str) -> str:
    return text_digest(text)[:16]
