"""Stage `take-sample`: put in place what a run of an archive wrote on."""

import argparse
from pathlib import Path

from rungs.archive.archived import read_archived
from rungs.files import write_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--archived", type=Path, required=True, help="one run of an archive, JSON")
    parser.add_argument("--experiment", required=True, help="in which it wrote on")
    parser.add_argument("--output", type=Path, required=True, help="JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write the continuation as the run's own stage wrote it."""
    write_json(arguments.output, read_archived(arguments.archived).samples[arguments.experiment])
    return f"{arguments.output}: written elsewhere"
