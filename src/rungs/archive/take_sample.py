"""Stage `take-sample`: put in place what a run of an archive wrote on."""

import argparse
from pathlib import Path

from rungs.archive.archived import read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.files import write_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--archived", type=Path, required=True, help="one run of an archive, JSON")
    parser.add_argument("--experiment", required=True, help="in which it wrote on")
    parser.add_argument("--output", type=Path, required=True, help="JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write the continuation as the run's own stage wrote it.

    Raises:
        UserError: the run's file is damaged.
    """
    archived = read_archived(arguments.archived)
    refuse_implausible(arguments.archived, archived)
    write_json(arguments.output, archived.samples[arguments.experiment])
    return f"{arguments.output}: written elsewhere"
