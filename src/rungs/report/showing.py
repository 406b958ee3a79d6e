"""Tables on the page, as they are declared."""

import math
from collections.abc import Callable, Iterator
from itertools import starmap
from pathlib import Path

import pandas as pd

from rungs.reading import reading
from rungs.report.section import Section
from rungs.report.shown import Cells, Shown
from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted
from rungs.tables.reading import read_shown

Label = Callable[[str], str]
"""What the page calls a variant."""


def show(
    section: Section, results: Path, target: str, shown: Shown, what: str, label: Label = str
) -> None:
    """Add a table to a section unless it has no rows, or say that it is missing.

    Args:
        section: of the page.
        results: the folder.
        target: the table's file, below it.
        shown: the declaration.
        what: its name where it is missing; empty where another table says so.
        label: names variants.

    Raises:
        UserError: the table exists and cannot be read.
    """
    if (results / target).is_file():
        table = read_shown(results / target, [*_columns(shown)], may_be_empty=shown.may_be_empty)
        if not table.empty:
            with reading(results / target):  # a precision or a variant may lack rows
                section.tables.append(view_of(table, shown, label, target))
    elif what:
        section.missing.append((what, target))


def view_of(table: pd.DataFrame, shown: Shown, label: Label, target: str) -> TableView:
    """Return a table as it is declared.

    Args:
        table: with the columns that are shown.
        shown: the declaration.
        label: names variants.
        target: its file, below the results folder.
    """
    rows = table.dropna(subset=[shown.having]) if shown.having else table
    builder = Builder()
    row, *others = shown.columns
    if shown.across:
        names = pd.DataFrame({row.column: sorted(table[row.column].unique())})
        _add(builder, row, names, label)
        for value, found in table.groupby(shown.across, sort=False):
            there = found.set_index(row.column).reindex(names[row.column])
            for cells in others:
                _add(builder, cells, there, label, f"{label(str(value))}, ")
    else:
        for cells in shown.columns:
            _add(builder, cells, rows, label)
    return builder.view(shown.caption + _mean_of(rows), target)


def _add(builder: Builder, cells: Cells, rows: pd.DataFrame, label: Label, of: str = "") -> None:
    if "precision" in rows:
        rows = rows[rows["precision"] == (cells.precision or "float32")]
    first, *_ = cells.columns
    form, heading = label if first == "variant" else cells.form, of + cells.heading
    found = (rows[column] for column in cells.columns)
    written = starmap(form, zip(*found, strict=True)) if form else estimates(rows, first)
    if cells.kind == "words":
        builder.words(heading, written, cells.group)
    elif cells.kind == "numbers":
        builder.numbers(heading, written, cells.group)
    else:
        missing = pd.Series(math.nan, index=rows.index)
        published = rows.get(f"{first}_published", missing).astype(float)
        builder.beside(heading, written, map(as_published, published))


def _columns(shown: Shown) -> Iterator[str]:
    """Yield the columns that the table must have."""
    yield from filter(None, (shown.having, shown.across))
    for cells in shown.columns:
        yield from cells.columns
        if cells.precision:
            yield "precision"
        if cells.form is None:
            yield from (f"{cells.column}_low", f"{cells.column}_high", "seeds")


def _mean_of(table: pd.DataFrame) -> str:
    """Say how often it was repeated, and nothing of what is exact."""
    if "seeds" not in table:
        return ""
    seeds = int(table["seeds"].max())
    if seeds == 1:
        return ", of 1 seed, hence no interval."
    return f": mean with its {INTERVAL} over {counted(seeds, 'seed')}."
