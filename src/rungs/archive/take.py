"""Stage `take-from-archive`: put in place what a run wrote down on another machine."""

import json
from pathlib import Path
from typing import Annotated

from rungs.archive.archived import read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import write_json, write_text


def run(
    *,
    archived: Annotated[Path, "one run of an archive, JSON"],
    train: Annotated[Path, "training tokens, .npy"],
    validation: Annotated[Path, "validation tokens, .npy"],
    output: Annotated[Path, "the run's folder"],
    evaluation: Annotated[Path, "output, JSON"],
) -> str:
    """Write description, history and evaluation as the run's own stages wrote them.

    Weights that an earlier run left in the folder are removed unless they are of this one, so that
    nothing is written on with weights that the description is not of.

    Raises:
        UserError: the run was trained or evaluated on other tokens, or its file is damaged.
    """
    record = read_archived(archived)
    refuse_implausible(archived, record)
    for split, tokens in (("train", train), ("validation", validation)):
        if record.run.get(f"{split}_sha256") != file_digest(tokens):
            raise UserError(
                f"{archived}: is of other {split} tokens than {tokens}, of another text "
                "or tokenizer; delete it to train the run here, or drop the key archive"
            )
    weights = output / "model.safetensors"
    if weights.exists() and file_digest(weights) != record.run.get("weights_sha256"):
        weights.unlink()
    lines = "".join(json.dumps(entry) + "\n" for entry in record.history)
    write_text(output / "history.jsonl", lines)
    write_json(output / "run.json", record.run)
    write_json(evaluation, record.evaluation)
    return f"{output}: trained elsewhere, on {record.run['device']}"
