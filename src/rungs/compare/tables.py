"""Tables of results side by side, cell by cell; times are each machine's own."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rungs.compare.counted import COUNTED
from rungs.tables.columns import KEYS
from rungs.tables.reading import read_table

APART = {"claims.csv", "observations.csv", *(f"{table}.csv" for table in COUNTED)}
"""Tables that are compared in a way of their own."""
LONGEST = 60
"""Letters of a cell that are shown: what a run wrote is a page."""

Cells = dict[tuple[str, ...], dict[str, float | str]]
"""The cells of each row by column, the row named by its columns of ``KEYS``."""


class Differing(NamedTuple):
    """A table of both folders that is not the same in them.

    Attributes:
        cells: how many cells of common rows differ.
        compared: how many cells common rows have.
        furthest: the cell that differs most, and what it is in either folder; empty without one.
        only_a, only_b: rows that one of them lacks.
    """

    table: str
    cells: int
    compared: int
    furthest: tuple[str, str, str]
    only_a: int
    only_b: int


class Tables(NamedTuple):
    """What became of the tables; those that only one folder has, by name."""

    equal: list[str]
    differing: list[Differing]
    only_a: list[str]
    only_b: list[str]


def compare_tables(a: Path, b: Path) -> Tables:
    """Compare every table that both folders have, as far as it is not compared otherwise.

    Raises:
        UserError: a table is there and cannot be read.
    """
    first, second = ({path.name for path in folder.glob("*.csv")} - APART for folder in (a, b))
    equal, differing = [], []
    for name in sorted(first & second):
        found = _compare(name, _cells(a / name), _cells(b / name))
        if found.cells or found.only_a or found.only_b:
            differing.append(found)
        else:
            equal.append(name)
    return Tables(equal, differing, sorted(first - second), sorted(second - first))


def _compare(name: str, a: Cells, b: Cells) -> Differing:
    common = [row for row in a if row in b]
    cells = [
        (_distance(first, second), f"{column.replace('_', ' ')} of {', '.join(row)}", first, second)
        for row in common
        for column in dict.fromkeys((*a[row], *b[row]))
        for first, second in [(a[row].get(column, ""), b[row].get(column, ""))]
    ]
    unequal = [cell for cell in cells if cell[0] > 0]
    furthest = max(unequal, key=lambda cell: cell[0], default=(0.0, "", "", ""))
    return Differing(
        name, len(unequal), len(cells),
        (furthest[1], _shown(furthest[2]), _shown(furthest[3])),
        len(a.keys() - b.keys()), len(b.keys() - a.keys()),
    )  # fmt: skip


def _cells(path: Path) -> Cells:
    return dict(_rows(path))


def _rows(path: Path) -> Iterator[tuple[tuple[str, ...], dict[str, float | str]]]:
    table = read_table(path, [], may_be_empty=True)
    for row in table.to_dict("records"):
        if row.get("quantity") == "milliseconds":
            continue
        named = {str(name): cell for name, cell in row.items() if not _is_missing(cell)}
        key = tuple(
            cell.replace("_", " ")
            if isinstance(cell, str)
            else f"{name.replace('_', ' ')} {cell:.10g}"
            for name, cell in named.items()
            if name in KEYS
        )
        yield key, {name: cell for name, cell in named.items() if name not in KEYS}


def _is_missing(cell: float | str) -> bool:
    return cell == "" or cell != cell


def _distance(a: float | str, b: float | str) -> float:
    """Return how far apart two cells are, as a share of the larger; all else is infinitely far."""
    if a == b:
        return 0.0
    if isinstance(a, str) or isinstance(b, str) or math.isinf(a) or math.isinf(b):
        return math.inf
    return abs(a - b) / max(abs(a), abs(b))


def _shown(cell: float | str) -> str:
    if not isinstance(cell, str):
        return f"{cell:.6g}"
    text = cell or "empty"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
