"""Read tables as they were written: words as words, numbers as numbers."""

import csv
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.tables.columns import BOUNDS, FILLED, UNBOUNDED, WORDS, impossible

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_EXACT = 2**53
"""Above it, not every whole number is a float."""


def read_table(
    path: Path,
    columns: Sequence[str],
    *,
    numbers: Collection[str] = (),
    may_be_empty: bool = False,
) -> pd.DataFrame:
    """Return the CSV table at ``path``, each column as its name says (:mod:`rungs.tables.columns`).

    Words are never missing, at most empty. Numbers are whole where all of a column are, else
    floats, NaN where there is none.

    Args:
        path: a table of ``results/``.
        columns: the columns the caller reads.
        numbers: columns that hold numbers here, and words in other tables.
        may_be_empty: whether a table without rows is accepted.

    Raises:
        UserError: the file cannot be read, is not a table, lacks a column, has no rows, or holds
            something else than a finite number where one belongs.
    """
    header, rows = _fields(path)
    missing = [column for column in columns if column not in header]
    if missing:
        raise UserError(f"{path}: has no column {', '.join(missing)}; delete it and run again")
    if not rows and not may_be_empty:
        raise UserError(f"{path}: has no rows; delete it and run again")
    cells = dict(zip(header, zip(*rows, strict=True) if rows else [()] * len(header), strict=True))
    return pd.DataFrame(
        {
            name: pd.Series(found, dtype="str")
            if name in WORDS and name not in numbers
            else _numbers(path, name, found, may_lack=name not in FILLED or name not in columns)
            for name, found in cells.items()
        }
    )


def read_shown(
    path: Path,
    columns: Sequence[str],
    *,
    numbers: Collection[str] = (),
    may_be_empty: bool = False,
) -> pd.DataFrame:
    """Return a table as :func:`read_table` does, for eyes: intervals end where numbers can be.

    Raises:
        UserError: as there, or a number is none that can be, which has no place on an axis.
    """
    table = read_table(path, columns, numbers=numbers, may_be_empty=may_be_empty)
    for column in table.columns.difference([*WORDS, *numbers]):
        for row, number in enumerate(table[column], start=1):
            if impossible(column, number):
                raise UserError(
                    f"{path}: {column} in row {row} is {number}, which cannot be; delete it and "
                    "run again"
                )
    for column, (low, high) in BOUNDS.items():
        for end in {f"{column}_low", f"{column}_high"} & set(table.columns):
            table[end] = table[end].clip(low, high)
    return table


def _fields(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows, all as text."""
    damaged = f"{path}: is not a table; delete it and run again"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = [row for row in csv.reader(file, strict=True) if row]
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except (csv.Error, ValueError) as error:  # not UTF-8, or not even a header
        raise UserError(damaged) from error
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        raise UserError(damaged)
    return header, rows


def _numbers(path: Path, name: str, cells: Sequence[str], *, may_lack: bool) -> pd.Series:
    found = [_number(cell, name) for cell in cells]
    for row, (cell, number) in enumerate(zip(cells, found, strict=True), start=1):
        if number is None and (cell or not may_lack):
            what = f"is {cell!r}, not a finite number" if cell else "is empty"
            raise UserError(f"{path}: {name} in row {row} {what}; delete it and run again")
    whole = bool(cells) and all(cell.lstrip("-").isdecimal() for cell in cells)
    if whole and all(abs(int(cell)) <= _EXACT for cell in cells):
        return pd.Series([int(cell) for cell in cells], dtype="int64")
    return pd.Series(found, dtype="float64")


def _number(cell: str, name: str) -> float | None:
    """Return what the cell says, or None where that is no number of this column."""
    if name in UNBOUNDED and cell == "inf":
        return math.inf
    number = float(cell) if _NUMBER.fullmatch(cell) else math.nan
    return number if math.isfinite(number) else None
