"""Stage ``readings``: every claim that a reading touches, judged under it, beside the default."""

from pathlib import Path
from typing import Annotated

import pandas as pd

from rungs.claims.claim_table import JUDGED, judge_claim, judged, not_comparable
from rungs.claims.results import Results
from rungs.claims.verdicts import Judgement
from rungs.published.load import sections
from rungs.published.quantity import Cell
from rungs.published.schema import Claim
from rungs.tables.settings import ClaimSettings, ReadingSetting
from rungs.tables.writing import write_csv

COLUMNS = ["reading", "id", "standing", "default", *JUDGED]


def run(
    *,
    results: Annotated[Path, "folder; any part may lack"],
    settings: ClaimSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write one row for each reading and each claim that rests on what it changes.

    Raises:
        UserError: a table is there and malformed.
    """
    table = reading_table(Results(results, settings.probes), settings)
    write_csv(table, output)
    wins, losses = wins_and_losses(table)
    return f"{len(table)} claims under {table['reading'].nunique()} readings: +{wins}, -{losses}"


def wins_and_losses(table: pd.DataFrame) -> tuple[int, int]:
    """Return how many claims are reproduced under readings alone, and by the default alone.

    Args:
        table: rows of ``readings.csv``; those that were not run under a reading count nowhere.
    """
    run = table[table["verdict"] != "not run"]
    under, default = (run[column] == "reproduced" for column in ("verdict", "default"))
    return int((under & ~default).sum()), int((~under & default).sum())


def reading_table(results: Results, settings: ClaimSettings) -> pd.DataFrame:
    """Return ``COLUMNS``, by reading and in the chapters' order."""
    rows = []
    for reading in settings.readings:
        under = Read(results, reading)
        for claim in (claim for section in sections() for claim in section.claims):
            if any(under.reads(cell) for cell in claim.cells):
                problem = not_comparable(claim, settings)
                default = judge_claim(claim, results, settings, problem).verdict
                own = judge_under(claim, under, settings)
                named = {"reading": reading.name, "id": claim.id, "standing": reading.standing}
                rows.append({**named, "default": default, **judged(own)})
    return pd.DataFrame(rows, columns=COLUMNS)


def judge_under(claim: Claim, under: "Read", settings: ClaimSettings) -> Judgement:
    """Judge a claim by the results of a reading, as it would be judged by the default's."""
    for cell in map(under.cell, claim.cells):
        if change := settings.left_out.get(cell.table):
            return Judgement("not run", f"{cell.table} is left out; {change}")
    return judge_claim(claim, under, settings, not_comparable(claim, settings))


class Read(Results):
    """Results in which a reading's stand in the place of the default's."""

    def __init__(self, results: Results, reading: ReadingSetting) -> None:
        super().__init__(results.folder, results.probes)
        self.default = results
        self.reading = reading

    def reads(self, cell: Cell) -> bool:
        """Say whether the reading puts another cell in this one's place."""
        return self.cell(cell) != cell

    def cell(self, cell: Cell) -> Cell:
        """Return the cell that stands in the place of the default's."""
        reading, row = self.reading, dict(cell.row)
        if cell.table == "corpus":
            corpus = str(row["corpus"])
            row["corpus"] = reading.corpora.get(corpus, corpus)
        elif "variant" in row and (cell.table in reading.tables or cell.table in self.probes):
            row["variant"] = reading.variants.get(str(row["variant"]), row["variant"])
        return Cell(
            table=reading.tables.get(cell.table, cell.table),
            row=row,
            column=reading.columns.get(cell.table, {}).get(cell.column, cell.column),
        )

    def numbers(self, cell: Cell) -> dict[int | None, float]:
        """Return the numbers of the cell in its place."""
        return self.default.numbers(self.cell(cell))

    def word(self, cell: Cell) -> str:
        """Return the word of the cell in its place."""
        return self.default.word(self.cell(cell))
