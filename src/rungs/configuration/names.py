"""What a mistyped name may have been meant to be."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean NAME?` where a known name is close to the given one, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"; did you mean {close[0]}?" if close else ""
