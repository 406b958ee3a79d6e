"""Where a number is found in the results, and how it is computed from the cells of tables."""

from __future__ import annotations

from pydantic import Field

from rungs.settings import Name, Settings


class Cell(Settings):
    """One cell of a table: ``results/{table}.csv``, or the summaries of the corpora."""

    table: Name
    row: dict[str, int | str]
    """Columns and their values that name exactly one row; of a run, one row per seed."""
    column: str

    @property
    def cells(self) -> list[Cell]:
        """The cell itself."""
        return [self]


class Minus(Settings):
    """The first quantity minus the second, paired by seed."""

    minus: tuple[Quantity, Quantity]

    @property
    def cells(self) -> list[Cell]:
        """The cells of both."""
        return _cells(*self.minus)


class Ratio(Settings):
    """The first quantity over the second, paired by seed."""

    ratio: tuple[Quantity, Quantity]

    @property
    def cells(self) -> list[Cell]:
        """The cells of both."""
        return _cells(*self.ratio)


class Sum(Settings):
    """The sum of quantities, paired by seed."""

    sum: list[Quantity] = Field(min_length=2)

    @property
    def cells(self) -> list[Cell]:
        """The cells of all."""
        return _cells(*self.sum)


class Least(Settings):
    """The least of several quantities, seed by seed: positive only where all are."""

    least: list[Quantity] = Field(min_length=2)

    @property
    def cells(self) -> list[Cell]:
        """The cells of all."""
        return _cells(*self.least)


class Growth(Settings):
    """The exponent p in quantity ~ tokens^p between two rows of one table."""

    growth: tuple[Cell, Cell]
    """From and to; both rows name their ``tokens``."""

    @property
    def cells(self) -> list[Cell]:
        """Both cells."""
        return _cells(*self.growth)


Quantity = Cell | Minus | Ratio | Sum | Least | Growth


def _cells(*quantities: Quantity) -> list[Cell]:
    """Return the cells of the quantities, each once, in order."""
    found: list[Cell] = []
    for quantity in quantities:
        found += [cell for cell in quantity.cells if cell not in found]
    return found


for _model in (Minus, Ratio, Sum, Least):
    _model.model_rebuild()
