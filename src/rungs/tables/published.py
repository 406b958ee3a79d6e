"""Published numbers for an experiment's table: only beside rows that are trained as published."""

from rungs.published.load import published_cells
from rungs.published.quantity import Cell
from rungs.tables.comparable import experiment_mismatch
from rungs.tables.settings import ExperimentSettings


def published_value(wanted: Cell, settings: ExperimentSettings) -> float | None:
    """Return the published value of a run's cell, if its row is trained as it was published."""
    for cell, number in published_cells(wanted.table):
        if cell == wanted and trained_as_published(cell, settings):
            return number
    return None


def trained_as_published(cell: Cell, settings: ExperimentSettings) -> bool:
    """Say whether the row of a published cell is trained as it was there."""
    return experiment_mismatch(cell.table, str(cell.row["variant"]), settings) is None
