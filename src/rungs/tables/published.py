"""Published numbers for an experiment's table: only beside rows that are trained as published."""

from rungs.published.load import published_cells, published_differences
from rungs.published.quantity import Cell
from rungs.tables.comparable import experiment_mismatch
from rungs.tables.settings import ExperimentSettings


def published_value(wanted: Cell, settings: ExperimentSettings) -> float | None:
    """Return the published value of a run's cell, if its row is trained as it was published."""
    for cell, number in published_cells(wanted.table):
        if cell == wanted and _trained_as_published(cell, settings):
            return number
    return None


def published_difference(first: Cell, second: Cell, settings: ExperimentSettings) -> float | None:
    """Return the published first minus second, whichever way round it was published."""
    for cells, number in published_differences(first.table):
        known = cells in ((first, second), (second, first))
        if known and all(_trained_as_published(cell, settings) for cell in cells):
            return number if cells == (first, second) else -number
    return None


def _trained_as_published(cell: Cell, settings: ExperimentSettings) -> bool:
    return experiment_mismatch(cell.table, str(cell.row["variant"]), settings) is None
