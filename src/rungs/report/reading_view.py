"""What the chapters leave open, as the page shows it: what each reading wins and loses."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from rungs.claims.readings import wins_and_losses
from rungs.config import Config
from rungs.report.judged import NOT_RUN, ClaimView
from rungs.report.questions import questions
from rungs.report.section import Section
from rungs.report.table_view import Builder, TableView
from rungs.tables.reading import read_shown

TARGET = "readings.csv"
COLUMNS = ("reading", "id", "default", "verdict", "reason")
LEAD = (
    "Where the text states nothing, the default is one answer and a reading another, run and "
    "judged beside it. A reading that was found because it fits is never the default, and counts "
    "nowhere above."
)


def reading_section(config: Config, results: Path, claims: Sequence[ClaimView]) -> Section | None:
    """Return the section of the readings; None where none is configured.

    Raises:
        UserError: the table is there and cannot be read.
    """
    if not config.readings:
        return None
    section = Section("left-open", "What the chapters leave open", [], [LEAD])
    if not (results / TARGET).is_file():
        section.missing.append(("The judgement under readings", TARGET))
        return section
    table = read_shown(results / TARGET, COLUMNS, may_be_empty=True)
    section.questions = questions(config, results / TARGET, claims)
    section.tables = [readings_view(config, table)]
    changed = table[(table["verdict"] != table["default"]) & (table["verdict"] != NOT_RUN)]
    if not changed.empty:
        section.tables.append(changes_view(changed))
    return section


def readings_view(config: Config, table: pd.DataFrame) -> TableView:
    """Return one row a reading, with the claims that it wins and loses."""
    of = {reading.name: table[table["reading"] == reading.name] for reading in config.readings}
    builder = Builder()
    builder.prose("left open by", [f"the {reading.where}" for reading in config.readings])
    builder.prose("question", [reading.question for reading in config.readings])
    builder.prose("read as", [reading.answer for reading in config.readings])
    builder.words("standing", [reading.standing for reading in config.readings])
    run = ((rows["verdict"] != NOT_RUN).sum() for rows in of.values())
    counts = [f"{n} of {len(rows)}" for n, rows in zip(run, of.values(), strict=True)]
    wins, losses = zip(*map(wins_and_losses, of.values()), strict=True)
    builder.numbers("claims judged", counts)
    builder.numbers("wins", map(str, wins))
    builder.numbers("loses", map(str, losses))
    return builder.view("Each reading, and how many claims are reproduced under it alone.", TARGET)


def changes_view(changed: pd.DataFrame) -> TableView:
    """Return the claims whose verdict is another under a reading, as a table."""
    builder = Builder()
    builder.words("claim", changed["id"])
    builder.words("reading", changed["reading"])
    builder.words("by default", changed["default"])
    builder.words("under the reading", changed["verdict"])
    builder.prose("why", changed["reason"])
    return builder.view("Claims that a reading judges otherwise.", TARGET)
