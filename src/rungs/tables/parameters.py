"""The stage `parameters`: the parameters of every model, by component."""

import argparse
import json
from pathlib import Path

import pandas as pd

from rungs.model.accounting import count_parameters
from rungs.model.architecture import Architecture
from rungs.published.load import published_cells
from rungs.tables.comparable import origin
from rungs.tables.configured import published_settings
from rungs.tables.writing import write_csv


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument(
        "--models",
        required=True,
        help='JSON list of {"model", "label", "architecture", "vocabulary"}',
    )
    parser.add_argument("--output", type=Path, required=True)


def run(arguments: argparse.Namespace) -> str:
    """Count and write one row per model and component, with its share of the model."""
    rows = []
    models = json.loads(arguments.models)
    for entry in models:
        architecture = Architecture.model_validate(entry["architecture"])
        counts = count_parameters(architecture, entry["vocabulary"])
        published = published_counts(entry["model"], architecture, entry["vocabulary"])
        rows += [
            {
                "model": entry["model"],
                "label": entry["label"],
                "component": component,
                "parameters": count,
                "share": count / counts["total"],
                "parameters_published": published.get(component),
            }
            for component, count in counts.items()
        ]
    table = pd.DataFrame(rows).astype({"parameters_published": "Int64"})
    write_csv(table, arguments.output, float_format="%.6f")
    return f"{arguments.output}: {len(models)} models counted"


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
