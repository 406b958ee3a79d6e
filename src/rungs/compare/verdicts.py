"""Claims whose verdict is not the same in two folders; those about time are each machine's own."""

from pathlib import Path
from typing import NamedTuple, get_args

import pandas as pd

from rungs.claims.verdicts import Verdict
from rungs.errors import UserError
from rungs.published.load import sections
from rungs.published.quantity import Cell
from rungs.tables.reading import read_table

COLUMNS = ("id", "statement", "kind", "verdict", "reason")


class Change(NamedTuple):
    """A claim that both folders judged, and differently."""

    statement: str
    a: str
    b: str
    reason_a: str
    reason_b: str
    is_check: bool
    """Whether it is of what no run could break."""


class Verdicts(NamedTuple):
    """What became of the claims; one that was not run has no verdict yet."""

    changed: list[Change]
    claims: int
    """Those that both folders judged and a run could break."""
    checks: int
    """And those that none could."""
    only_a: list[str]
    only_b: list[str]


def compare_verdicts(a: Path, b: Path) -> Verdicts:
    """Return the claims whose verdict changed; those that only one folder judged, by their ids.

    Raises:
        UserError: a table of claims is missing or cannot be read.
    """
    first, second = _judged(a), _judged(b)
    timed = _about_time()
    common = [name for name in first.index if name in second.index and name not in timed]
    changed = [
        Change(
            statement=str(second["statement"][name]),
            a=str(first["verdict"][name]),
            b=str(second["verdict"][name]),
            reason_a=str(first["reason"][name]),
            reason_b=str(second["reason"][name]),
            is_check=second["kind"][name] == "check",
        )
        for name in common
        if first["verdict"][name] != second["verdict"][name]
    ]
    checks = sum(second["kind"][name] == "check" for name in common)
    return Verdicts(
        changed,
        len(common) - checks,
        checks,
        [name for name in first.index if name not in second.index],
        [name for name in second.index if name not in first.index],
    )


def _about_time() -> set[str]:
    """Return the ids of claims that rest on a measured time."""
    return {
        claim.id
        for section in sections()
        for claim in section.claims
        if any(map(_time, claim.cells))
    }


def _time(cell: Cell) -> bool:
    return "milliseconds" in cell.column or cell.row.get("quantity") == "milliseconds"


def _judged(folder: Path) -> pd.DataFrame:
    path = folder / "claims.csv"
    table = read_table(path, COLUMNS, may_be_empty=True)
    unknown = table[~table["verdict"].isin(get_args(Verdict))]
    for name, verdict in zip(unknown["id"], unknown["verdict"], strict=True):
        raise UserError(f"{path}: is damaged, {name} has the verdict {verdict}; get it again")
    return table[table["verdict"] != "not run"].drop_duplicates("id").set_index("id")
