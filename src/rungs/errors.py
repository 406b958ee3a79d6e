"""The one exception a user is meant to read, and what only raises it."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class UserError(Exception):
    """Something outside the program is wrong: a file, an address, a configuration key.

    The message names it and says what to do. The command line prints the message without a
    traceback; any other exception is a defect of ours and keeps its traceback.
    """


def guard(refuses: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that only refuses: it raises, or lets pass what it was given unchanged.

    No number depends on it, so that digests of code leave it out.
    """
    return refuses
