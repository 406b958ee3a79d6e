"""Stage `take-from-archive`: put in place what a run wrote down on another machine."""

import argparse
import json
from pathlib import Path

from rungs.archive.archived import read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import write_json, write_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--archived", type=Path, required=True, help="one run of an archive, JSON")
    parser.add_argument("--train", type=Path, required=True, help="training tokens, .npy")
    parser.add_argument("--validation", type=Path, required=True, help="validation tokens, .npy")
    parser.add_argument("--output", type=Path, required=True, help="the run's folder")
    parser.add_argument("--evaluation", type=Path, required=True, help="output, JSON")


def run(arguments: argparse.Namespace) -> str:
    """Write description, history and evaluation as the run's own stages wrote them.

    Weights that an earlier run left in the folder are removed unless they are of this one, so that
    nothing is written on with weights that the description is not of.

    Raises:
        UserError: the run was trained or evaluated on other tokens, or its file is damaged.
    """
    archived = read_archived(arguments.archived)
    refuse_implausible(arguments.archived, archived)
    for split in ("train", "validation"):
        tokens: Path = getattr(arguments, split)
        if archived.run.get(f"{split}_sha256") != file_digest(tokens):
            raise UserError(
                f"{arguments.archived}: is of other {split} tokens than {tokens}, of another text "
                "or tokenizer; delete it to train the run here, or drop the key archive"
            )
    weights = arguments.output / "model.safetensors"
    if weights.exists() and file_digest(weights) != archived.run.get("weights_sha256"):
        weights.unlink()
    lines = "".join(json.dumps(entry) + "\n" for entry in archived.history)
    write_text(arguments.output / "history.jsonl", lines)
    write_json(arguments.output / "run.json", archived.run)
    write_json(arguments.evaluation, archived.evaluation)
    return f"{arguments.output}: trained elsewhere, on {archived.run['device']}"
