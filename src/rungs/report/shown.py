"""What is declared of a table on the page: its caption and its columns.

Read while the graph of jobs is built, hence without pandas.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rungs.tables.numbers import rounded

Form = Callable[..., str]
"""Puts a row's cells into words."""


@dataclass(frozen=True)
class Cells:
    """One column, or two: what was reproduced, and what was published.

    Attributes:
        heading: of a metric with published values, the heading they share.
        column: of the table; several, where the words are made of all of them.
        kind: `beside` has published values next to it where there are any.
        form: puts the cells of a row into words; by default the mean with its interval.
        group: the heading it shares with its neighbours.
        precision: where computations are repeated in several, the one it shows.
    """

    heading: str
    column: str | tuple[str, ...]
    kind: Literal["words", "numbers", "beside"]
    form: Form | None = None
    group: str = ""
    precision: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the table; the first of them has the published values."""
        return (self.column,) if isinstance(self.column, str) else self.column


@dataclass(frozen=True)
class Shown:
    """A table on the page.

    Attributes:
        caption: without a full stop where it is repeated over seeds: how often is said after it.
        columns: in order.
        may_be_empty: whether a table without rows is one, which is not shown.
        having: rows without a value in this column are left out.
        across: the columns are repeated for each value of this one, and named by it; the first
            column names the rows.
    """

    caption: str
    columns: tuple[Cells, ...]
    may_be_empty: bool = False
    having: str = ""
    across: str = ""


def words(heading: str, column: str | tuple[str, ...], form: Form = str) -> Cells:
    """Return a column of words."""
    return Cells(heading, column, "words", form)


def numbers(
    heading: str, column: str | tuple[str, ...], form: Form = rounded, group: str = ""
) -> Cells:
    """Return a column of numbers without an interval."""
    return Cells(heading, column, "numbers", form, group)


def metric(heading: str, column: str) -> Cells:
    """Return means with their intervals, beside what was published."""
    return Cells(heading, column, "beside")


DIFFERENCES = (
    Cells("float32 difference", "difference", "beside", precision="float32"),
    Cells("rounding explains", "rounding", "numbers", rounded, precision="float32"),
    Cells("float64 difference", "difference", "numbers", rounded, precision="float64"),
)
"""The largest differences between two computations, float32 and float64 abreast."""
