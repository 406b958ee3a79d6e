"""The stage `parameters`: the parameters of every model, by component."""

import argparse
import json
from pathlib import Path

import pandas as pd

from rungs.model.accounting import count_parameters
from rungs.published.load import published_cells
from rungs.published.schema import Model
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
        model = Model(architecture=entry["architecture"], vocabulary=entry["vocabulary"])
        counts = count_parameters(model.architecture, entry["vocabulary"])
        published = published_counts(entry["model"], model)
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


def published_counts(name: str, model: Model) -> dict[str, int]:
    """Return the published parameters by component, of this very model only."""
    return {
        str(cell.row["component"]): int(number)
        for cell, number, section in published_cells("parameters")
        if cell.column == "parameters"
        and cell.row["model"] == name
        and section.setting.models[name] == model
    }
