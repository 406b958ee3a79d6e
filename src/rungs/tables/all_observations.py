"""Stage ``all-observations``: the observations of every experiment in one table."""

import argparse
from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.tables.samples import OBSERVATION_COLUMNS, OBSERVATION_KEY, read_observations
from rungs.tables.writing import write_csv


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--observations",
        type=Path,
        nargs="+",
        required=True,
        help="one file an experiment, named after it, in any order",
    )
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write the experiments' observations under one another, with a column ``experiment``.

    Raises:
        UserError: a file is missing or malformed, or two are named alike.
    """
    experiments: dict[str, pd.DataFrame] = {}
    for path in arguments.observations:
        if path.stem in experiments:
            raise UserError(f"{path}: a file for {path.stem} is given already; give it once")
        experiments[path.stem] = read_observations(path)
    table = pd.concat(
        [table.assign(experiment=name) for name, table in experiments.items()], ignore_index=True
    )
    table = table.sort_values(
        ["experiment", *OBSERVATION_KEY], ignore_index=True, na_position="first"
    )
    write_csv(table[["experiment", *OBSERVATION_COLUMNS]], arguments.output)
    return f"{len(table)} observations of {len(experiments)} experiments"
