"""Run one command as a person's terminal does, in this process, and judge what it said."""

import contextlib
import io
import logging
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rungs.cli import main

SECONDS = 120
"""A command on tiny files that takes longer hangs, whatever else the machine is busy with."""
ERROR = re.compile(r"(python -m rungs( \S+)?: )?error: .")
TELLTALES = ("Traceback", "a defect of ours", "pydantic", "Warning:")


class TimeLimit(BaseException):
    """A case took too long; no handler of the product's takes it for an error of its own."""


class Outcome(NamedTuple):
    """What a command ended with and what it said."""

    status: int | None
    output: str
    errors: str


def run(words: Sequence[str]) -> Outcome:
    """Run a command in the current folder; what escapes from it is a traceback, as in a process."""
    output = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    errors = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    handlers = list(logging.getLogger().handlers)
    status: int | None
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            with time_limit():
                status = main(words)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else 1
        except TimeLimit:
            status = None
        except BaseException:
            status = 1
            traceback.print_exc(file=sys.stderr)
        finally:
            for handler in set(logging.getLogger().handlers) - set(handlers):
                logging.getLogger().removeHandler(handler)
                handler.close()
    return Outcome(status, _text(output), _text(errors))


@contextlib.contextmanager
def time_limit(seconds: int = SECONDS) -> Iterator[None]:
    """Raise TimeLimit in the block once the time is over."""

    def stop(*_: object) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fault(outcome: Outcome, *, patient: bool = False, of: Path | None = None) -> str | None:
    """Return what a person should not have seen; None if all is well.

    Args:
        outcome: of a command.
        patient: whether much work may have been asked for, so that only an answer is judged.
        of: the damaged file, which an error has to name, or else the run whose folder it lies in.
    """
    if outcome.status is None:
        return None if patient else f"ran for more than {SECONDS} s"
    if outcome.status not in (0, 1, 2):
        return f"status {outcome.status}"
    for word in TELLTALES:
        if word in outcome.errors:
            return f"{word} on standard error:\n{outcome.errors[-3000:]}"
    lines = [line for line in outcome.errors.splitlines() if line]
    said = [line for line in lines if ERROR.match(line)]
    if outcome.status != 2:
        return f"status {outcome.status} beside an error" if said else None
    if len(said) != 1:
        return f"{len(said)} error lines:\n{outcome.errors[-1000:]}"
    if said != lines[-1:]:
        return f"the error is not the last line:\n{outcome.errors[-1000:]}"
    names = {of.name, str(of.parent), "empty/corpus"} if of else {""}
    if not any(name in lines[-1] for name in names):
        return f"{of} is not named: {lines[-1]}"
    return None


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
