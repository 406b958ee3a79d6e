"""A table as the page shows it: caption, headings and cells, all as text."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from rungs.report.labels import diverged
from rungs.tables.numbers import estimate, signed_estimate

ABSENT = "\N{EM DASH}"


class Column(NamedTuple):
    """A column's heading, and the heading it shares with its neighbours."""

    heading: str
    group: str = ""
    numeric: bool = True
    prose: bool = False
    """Whether its cells are sentences, which may break."""


@dataclass(frozen=True)
class TableView:
    """A finished table; the first cell of a row names the row.

    Attributes:
        caption: what the numbers are.
        target: the file it shows, below the results folder.
    """

    caption: str
    target: str
    columns: list[Column]
    rows: list[list[str]]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The shared headings and how many columns each spans; none if no column has one."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and column.group and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return spans if any(group for group, _ in spans) else []


def estimates(table: pd.DataFrame, metric: str, *, signed: bool = False) -> list[str]:
    """Return each row's mean of a metric with its interval, empty where it is missing.

    A row of which a seed diverged says so; tables without training have no such column.
    """
    columns = [metric, f"{metric}_low", f"{metric}_high", "seeds"]
    rows = table[columns].astype(float).itertuples(index=False)
    shown = signed_estimate if signed else estimate
    ended = table.get("diverged", pd.Series("", table.index))
    return [diverged(cell) or shown(*row) for cell, row in zip(ended, rows, strict=True)]


@dataclass
class Builder:
    """Collects columns beside one another, all with the same rows."""

    columns: list[Column] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    def words(self, heading: str, cells: Iterable[str], group: str = "") -> None:
        """Add a column of words."""
        self._add(Column(heading, group, numeric=False), cells)

    def prose(self, heading: str, cells: Iterable[str]) -> None:
        """Add a column of sentences."""
        self._add(Column(heading, numeric=False, prose=True), cells)

    def numbers(self, heading: str, cells: Iterable[str], group: str = "") -> None:
        """Add a column of numbers."""
        self._add(Column(heading, group), cells)

    def beside(self, group: str, reproduced: Iterable[str], published: Iterable[str]) -> None:
        """Add what was reproduced and, where there is any of it, what was published."""
        claimed = list(published)
        self.numbers("reproduced", reproduced, group)
        if any(claimed):
            self.numbers("published", claimed, group)

    def view(self, caption: str, target: str) -> TableView:
        """Return the finished table."""
        rows = [list(row) for row in zip(*self.cells, strict=True)]
        return TableView(caption, target, self.columns, rows)

    def _add(self, column: Column, cells: Iterable[str]) -> None:
        self.columns.append(column)
        self.cells.append([cell or ABSENT for cell in cells])
