"""The stage `parameters`: the parameters of every model, by component."""

from pathlib import Path

import pandas as pd

from rungs.model.accounting import count_parameters
from rungs.model.architecture import Architecture
from rungs.published.load import published_cells
from rungs.tables.comparable import origin
from rungs.tables.configured import published_settings
from rungs.tables.settings import NamedModels
from rungs.tables.writing import write_csv


def run(*, models: NamedModels, output: Path) -> str:
    """Count and write one row per model and component, with its share of the model."""
    rows = []
    for entry in models:
        counts = count_parameters(entry.architecture, entry.vocabulary)
        published = published_counts(entry.model, entry.architecture, entry.vocabulary)
        rows += [
            {
                "model": entry.model,
                "label": entry.label,
                "component": component,
                "parameters": count,
                "share": count / counts["total"],
                "parameters_published": published.get(component),
            }
            for component, count in counts.items()
        ]
    table = pd.DataFrame(rows).astype({"parameters_published": "Int64"})
    write_csv(table, output, float_format="%.6f")
    return f"{output}: {len(models)} models counted"


def published_counts(name: str, architecture: Architecture, vocabulary: int) -> dict[str, int]:
    """Return the published parameters by component, of this very model only."""
    model = {"vocabulary": vocabulary} | architecture.model_dump()
    return {
        str(cell.row["component"]): int(number)
        for cell, number in published_cells("parameters")
        if cell.column == "parameters"
        and cell.row["model"] == name
        and origin(cell, published_settings()) == {name: model}
    }
