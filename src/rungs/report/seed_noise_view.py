"""The noise of single seeds as the page shows it."""

import math
import re
from pathlib import Path

import pandas as pd

from rungs.report.table_view import Builder, TableView
from rungs.tables.intervals import level
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

TARGET = "seed_noise.csv"
NOISE_COLUMNS = (
    *("id", "statement", "published", "seeds", "difference", "standard_deviation"),
    *("single_seed_noise", "exceeds_noise", "seeds_needed", "seeds_needed_low"),
    *("seeds_needed_high", "reason"),
)
LEAD = (
    "The chapters trained one seed. A difference between two rows of one seed is the rows' own "
    "difference and that seed's luck, which the spread over our seeds, paired by seed, measures.",
    f"Seeds needed: how many seeds a paired t-test (two-sided, at {level()}) takes to tell "
    "the published difference from none in four cases of five; in brackets for both ends of the "
    f"{level()} interval of the spread, which few seeds know badly.",
)


def read_noise(path: Path) -> pd.DataFrame:
    """Return the published differences, measured or not; what was published is a number here.

    Raises:
        UserError: the table cannot be read.
    """
    return read_shown(path, NOISE_COLUMNS, numbers=("published",), may_be_empty=True)


def measured_noise(results: Path) -> pd.DataFrame | None:
    """Return the published differences that have been measured, or None without the table.

    Raises:
        UserError: the table is there and cannot be read.
    """
    if not (results / TARGET).is_file():
        return None
    table = read_noise(results / TARGET)
    return table[table["seeds"] > 0]


def noise_view(table: pd.DataFrame) -> TableView:
    """Return the differences that have been measured."""
    builder = Builder()
    builder.words("published difference", table["statement"])
    builder.numbers("published", map(as_published, table["published"]))
    builder.numbers("reproduced", map(rounded, table["difference"]))
    builder.numbers("seeds", (f"{seeds:,}" for seeds in table["seeds"]))
    if table["standard_deviation"].notna().any():
        _add_noise(builder, table)
    return builder.view(
        "The chapters' differences, each of one seed, against the spread between seeds.", TARGET
    )


def _add_noise(builder: Builder, table: pd.DataFrame) -> None:
    builder.numbers("spread (std)", map(_number, table["standard_deviation"]))
    builder.numbers("luck of one seed", map(_number, table["single_seed_noise"]))
    builder.words("exceeds it?", map(_answer, table["exceeds_noise"]))
    ends = zip(
        *(table[f"seeds_needed{end}"] for end in ("", "_low", "_high")), table["seeds"], strict=True
    )
    builder.numbers("seeds needed", (_needed(*row) for row in ends))


def noise_sentence(table: pd.DataFrame) -> str:
    """Say how many published differences one seed could have told from none."""
    known = table[table["exceeds_noise"].isin(["yes", "no"])]
    if known.empty:
        return (
            "There is one seed here too: it has no spread, and nothing can be said of the "
            "published differences' luck. Run at least two, better three."
        )
    exceeding = (known["exceeds_noise"] == "yes").sum()
    measured = counted(len(known), "published difference")
    exceeds = "exceeds" if exceeding == 1 else "exceed"
    others = len(known) - exceeding
    rest = f"; {others} could not be told from none by one seed" if others else ""
    return (
        f"Of {measured} that several seeds here can judge, {exceeding} {exceeds} what one seed "
        f"shows by luck{rest}."
    )


def needed(seeds: float) -> str:
    """Return a number of seeds, nothing where there is no spread to tell it from."""
    if math.isnan(seeds):
        return ""
    return "no number" if math.isinf(seeds) else f"{seeds:,.0f}"


def seed_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns that hold one seed's differences each."""
    return [name for name in table.columns if re.fullmatch(r"seed\d+", name)]


def _needed(seeds: float, low: float, high: float, counted: int) -> str:
    if counted < 2:
        return ""
    return f"{needed(seeds)} [{needed(low)}, {needed(high)}]"


def _number(value: float) -> str:
    return "" if math.isnan(value) else rounded(value)


def _answer(word: str) -> str:
    return word or "one seed: unknown"
