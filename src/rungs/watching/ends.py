"""What a failed job shows: the end of its log, and not the command, of which it may be a page."""

import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

SHOWN = 20
"""Lines: a run logs one every ten seconds, and what went wrong is in its last ones."""

_COMMAND = re.compile(r"^Command '.*' (?=returned|died)", re.MULTILINE | re.DOTALL)
_LOGGED = re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE)


class FailureInShort(logging.Formatter):
    """Formats what Snakemake says of failed jobs; its log file has the rest."""

    def __init__(self, whole: logging.Formatter) -> None:
        super().__init__()
        self.whole = whole
        """Formats everything else."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line or lines to show of a record."""
        said = vars(record)
        if said.get("event") == "job_error":
            where = "".join(f", {key} {value}" for key, value in said["aux"].items())
            return "\n".join(
                [f"Error in rule {said['rule_name']}{where}:", *ends_of_logs(said["log"])]
            )
        if said.get("event") == "group_error":  # an error of each of its jobs follows
            return "\n".join([f"{record.getMessage()}:", *ends_of_logs(said["aux_logs"])])
        return _COMMAND.sub("the command ", self.whole.format(record))


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


def last_words(log: Path) -> str:
    """Return what a stage logged last: its own sentence, or the last line of a traceback.

    Empty if the log is, or is not there.
    """
    try:
        text = log.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""
    said = _LOGGED.split(text)[-1]
    return said.splitlines()[-1] if "\nTraceback (most recent call last)" in said else said
