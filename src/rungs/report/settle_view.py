"""What would decide what is undecided, as the page shows it: seeds, claims, and their cost."""

from pathlib import Path
from statistics import fmean

import pandas as pd

from rungs.archive.archived import address
from rungs.claims.settling import COLUMNS, Proposal, proposals
from rungs.config import Config
from rungs.files import read_json
from rungs.reading import reading
from rungs.report.hours import time_taken
from rungs.report.section import Section
from rungs.report.table_view import Builder, TableView
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

TARGET = "claims.csv"
LEAD = (
    "A claim is undecided where the draws allow it and its opposite; of a direction only, the size "
    "is open. The number of seeds follows from their spread alone (one seed has none, and three "
    "would show it), never from the verdict, and counts the seeds that are there. The core time "
    "is what the further runs would take, at what those so far took. Of two rows of one experiment "
    "the longer includes the shorter. The command python -m rungs settle says it for this machine, "
    "with what to configure."
)


def settle_section(config: Config, results: Path) -> Section | None:
    """Return the section; None where nothing is undecided that seeds might decide.

    Raises:
        UserError: the claims, or the description of a run, cannot be read.
    """
    if not (results / TARGET).is_file():
        return None
    claims = read_shown(results / TARGET, COLUMNS, may_be_empty=True)
    asked = claims[claims["seeds_to_decide"].notna()]
    if asked.empty:
        return None
    section = Section("what-would-decide", "What would decide", [], [LEAD])
    never = asked[asked["seeds_to_decide"] == float("inf")]["id"]
    if len(never):
        which = "is" if len(never) == 1 else "are"
        section.lead.append(
            f"{counted(len(never), 'claim')} {which} decided by no number of seeds, because single "
            f"draws differ by more than what is claimed: {', '.join(never)}."
        )
    if len(never) < len(asked):
        section.tables = [_view(config, results, asked)]
    return section


def _view(config: Config, results: Path, asked: pd.DataFrame) -> TableView:
    found = [p for p in proposals(asked) if p.is_probe or p.source in config.experiments]
    builder = Builder()
    builder.words("of", [proposal.source.replace("_", " ") for proposal in found])
    builder.numbers("seeds in all", [str(proposal.seeds) for proposal in found])
    builder.numbers("further core time", [_work(config, results, proposal) for proposal in found])
    builder.prose("decides", [", ".join(proposal.claims) for proposal in found])
    return builder.view("The fewest seeds that would decide, by experiment.", TARGET)


def _work(config: Config, results: Path, proposal: Proposal) -> str:
    """Return the core time of the further runs, empty where no run says what one takes."""
    if proposal.is_probe:
        return ""
    runs = config.runs(proposal.source)
    costs = []
    for variant in config.members(proposal.source):
        of_variant = (run for run in runs if run.variant == variant)
        paths = (results / f"runs/{address(run)}/run.json" for run in of_variant)
        costs.append([core_seconds(path) for path in paths if path.is_file()])
    if not all(costs):
        return ""
    return time_taken(len(proposal.new_seeds(config)) * sum(map(fmean, costs)))


def core_seconds(description: Path) -> float:
    """Return the processor time of the run of a ``run.json``.

    Raises:
        UserError: the file is damaged.
    """
    with reading(description):
        return float(read_json(description)["core_seconds"])
