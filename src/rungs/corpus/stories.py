"""Files of stories: read as a stream, split at the end-of-text marker."""

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rungs.errors import UserError

logger = logging.getLogger(__name__)

MARKER = "<|endoftext|>"
LONGEST_STORY = 1 << 24
"""Characters, far more than any: a file that has no marker for so long is not one of stories."""
_BLOCK = 1 << 20  # characters read at a time


def leading_stories(path: Path, count: int | None = None) -> Iterator[str]:
    """Yield the first ``count`` stories of a file, or all, without the white space around them.

    The file is never in memory as a whole, whatever its size; what stands after the last story
    that is asked for is not read. A story is whole when its marker stands after it: what follows
    the last marker was cut off, and is left out.

    Raises:
        UserError: the file cannot be read, is not UTF-8, has no marker, or fewer than ``count``
            stories, which is found at its end.
    """
    found = 0
    for story in islice(_stories(path), count):
        yield story
        found += 1
    if count is not None and found < count:
        raise UserError(
            f"{path}: has {found:,} stories, and {count:,} are asked for; lower stories or "
            "validation_stories to that, or give a longer file"
        )


def _stories(path: Path) -> Iterator[str]:
    rest = ""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            while block := file.read(_BLOCK):
                *whole, rest = (rest + block).split(MARKER)
                yield from (story for part in whole if (story := part.strip()))
                if len(rest) > LONGEST_STORY:
                    raise UserError(
                        f"{path}: has no {MARKER} in {len(rest):,} characters; give a file of "
                        "stories that end in it"
                    )
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8; convert it") from error
    if rest.strip():
        logger.info("%s: what follows the last %s is cut off and left out", path, MARKER)
