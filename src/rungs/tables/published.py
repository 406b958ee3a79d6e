"""Published numbers for an experiment's table: only beside rows that are trained as published."""

from rungs.published.load import published_cells
from rungs.published.quantity import Cell
from rungs.published.schema import Section
from rungs.tables.comparable import experiment_mismatch
from rungs.tables.settings import ExperimentSettings


def published_value(wanted: Cell, settings: ExperimentSettings) -> float | None:
    """Return the published value of a run's cell, if its row is trained as it was published."""
    variant = str(wanted.row["variant"])
    for cell, number, section in published_cells(wanted.table):
        if cell == wanted and trained_as_published(section, variant, settings):
            return number
    return None


def trained_as_published(section: Section, variant: str, settings: ExperimentSettings) -> bool:
    """Say whether the row is trained as the section says, on the same corpus and budget."""
    known = variant in section.setting.models
    return known and experiment_mismatch(section.setting, variant, settings) is None
