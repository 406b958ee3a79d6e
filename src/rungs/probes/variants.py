"""Models that a probe is given by their architectures."""

import argparse
import json

from rungs.model.architecture import Architecture


def add_variants(parser: argparse.ArgumentParser) -> None:
    """Add the argument that `read_variants` reads."""
    parser.add_argument(
        "--variants", required=True, help='JSON list of {"variant", "architecture"}, in order'
    )


def read_variants(arguments: argparse.Namespace) -> dict[str, Architecture]:
    """Return the architectures by variant, in order."""
    return {
        entry["variant"]: Architecture.model_validate(entry["architecture"])
        for entry in json.loads(arguments.variants)
    }
