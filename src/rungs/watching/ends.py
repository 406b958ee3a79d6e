"""The end of a log, as a failed job shows it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

SHOWN = 20
"""Lines: a run logs one every ten seconds, and what went wrong is in its last ones."""


def ends_of_logs(logs: Iterable[str]) -> Iterator[str]:
    """Yield the lines to show of the logs, each under a heading that names its file."""
    for log in logs:
        try:
            lines = Path(log).read_text("utf-8", errors="replace").splitlines()
        except OSError as error:
            yield f"Logfile {log}: cannot be read ({error.strerror})"
            continue
        if len(lines) > SHOWN:
            yield f"Logfile {log}, the last {SHOWN} of its {len(lines):,} lines:"
        else:
            yield f"Logfile {log}:" if lines else f"Logfile {log}: is empty"
        yield from (f"    {line}" for line in lines[-SHOWN:])
