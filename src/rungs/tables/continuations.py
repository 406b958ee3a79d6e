"""Stage ``continuations-table``: what every run of an experiment wrote, one row a run."""

import argparse
from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.files import read_json
from rungs.tables.settings import ExperimentSettings, parse_settings
from rungs.tables.writing import write_csv

COLUMNS = ["variant", "label", "seed", "prompt", "text", "tokens", "distinct_tokens", "ended"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--continuations", type=Path, nargs="+", required=True,
        help="files at .../{variant}/seed{seed}.json",
    )  # fmt: skip
    parser.add_argument("--settings", required=True, help="JSON of ExperimentSettings")
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write one row per run, in the settings' order.

    Raises:
        UserError: a continuation or the settings cannot be read.
    """
    settings = parse_settings(ExperimentSettings, arguments.settings)
    labels = {row.variant: row.label for row in settings.rows}
    rows = []
    for path in arguments.continuations:
        variant, seed = path.parts[-2], int(path.stem.removeprefix("seed"))
        try:
            rows.append({"variant": variant, "label": labels[variant], "seed": seed,
                         **{key: read_json(path)[key] for key in COLUMNS[3:]}})  # fmt: skip
        except (KeyError, TypeError) as error:
            raise UserError(f"{path}: lacks {error}; delete it and run again") from error
    order = list(labels)
    rows.sort(key=lambda row: (order.index(row["variant"]), row["seed"]))
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["ended"] = table["ended"].map({True: "yes", False: "no", None: ""})
    table = table.astype({"distinct_tokens": "Int64"})
    write_csv(table, arguments.output)
    return f"{arguments.output}: {len(table)} texts"
