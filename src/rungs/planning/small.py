"""Jobs that are mostly the start of a process: what they import, and a little work."""

from collections.abc import Mapping
from typing import NamedTuple


class SmallJob(NamedTuple):
    """A job that is mostly the start of a process."""

    imports: str
    """Which of the `StartUp` times it has."""
    seconds: float
    """Of work after that, on a core that needs one second to start a process with tables."""


SMALL: Mapping[str, SmallJob] = {
    "download": SmallJob("plain", 1.0),
    "download_stories": SmallJob("plain", 30.0),
    "generate": SmallJob("plain", 0.0),
    "generate_referents": SmallJob("plain", 0.1),
    "evaluate_referents": SmallJob("torch", 0.2),
    "sample_text": SmallJob("torch", 2.0),
    "take_from_archive": SmallJob("plain", 0.0),
    "take_sample": SmallJob("plain", 0.0),
    "parameters": SmallJob("torch", 0.1),
    "blocks": SmallJob("torch", 0.1),
    "probe": SmallJob("torch", 1.0),
    "claims": SmallJob("tables", 0.2),
    "report": SmallJob("tables", 0.2),
}
FIGURE = SmallJob("figures", 0.5)
"""Any rule `figure_...`."""
TABLE = SmallJob("tables", 0.05)
"""Any other rule."""


def small_job(rule: str) -> SmallJob:
    """Return what a rule's jobs are like; one that is not known makes a table."""
    return SMALL.get(rule, FIGURE if rule.startswith("figure_") else TABLE)
