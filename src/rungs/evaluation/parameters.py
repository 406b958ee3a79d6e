"""The stage `parameters`: the parameters of every model, by component."""

import argparse
import json
from pathlib import Path

import pandas as pd

from rungs.files import replacing
from rungs.model.accounting import count_parameters
from rungs.model.architecture import Architecture


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
        counts = count_parameters(
            Architecture.model_validate(entry["architecture"]), entry["vocabulary"]
        )
        rows += [
            {
                "model": entry["model"],
                "label": entry["label"],
                "component": component,
                "parameters": count,
                "share": count / counts["total"],
            }
            for component, count in counts.items()
        ]
    with replacing(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6f")
    return f"{arguments.output}: {len(models)} models counted"
