"""Finished runs are kept until the workflow has ended well: taken over instead of trained again.

Snakemake deletes what a group of jobs made when one of them fails, and of files that were finished
while no Snakemake was there it does not know with which settings they were made.
"""

import importlib.metadata
import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import read_json, replacing, write_json
from rungs.reading import read_object, reading

FINISHED = Path(".rungs/finished")
PLANNED = Path(".rungs/planned.json")
WEIGHTS, DESCRIPTION = "model.safetensors", "run.json"
FILES = (WEIGHTS, "history.jsonl", DESCRIPTION)


def keep(output: Path) -> None:
    """Keep a copy of the run that the stage `train` has just finished in its folder."""
    for name in FILES:
        _copy(output / name, FINISHED / output / name)


def take(arguments: Mapping[str, Any]) -> str | None:
    """Put back the run that the stage `train` is asked for, if it was finished and kept.

    Returns:
        The stage's summary; None where nothing is kept, or what is kept is another run: other
        settings, data, code, torch or device.
    """
    output: Path = arguments["output"]
    kept = FINISHED / output
    if not all((kept / name).exists() for name in FILES):
        return None
    description = read_object(kept / DESCRIPTION)
    if description.get("weights_sha256") != file_digest(kept / WEIGHTS):
        return None
    with reading(arguments["corpus"]):
        vocabulary = read_json(arguments["corpus"])["vocabulary"]
    wanted = {
        "architecture": json.loads(arguments["architecture"].canonical()),
        "budget": json.loads(arguments["budget"].canonical()),
        "seed": arguments["seed"],
        "vocabulary": vocabulary,
        "train_sha256": file_digest(arguments["train"]),
        "validation_sha256": file_digest(arguments["validation"]),
        "code": arguments["code"],
        "torch": importlib.metadata.version("torch"),
        "device": _device(arguments["device"]),
    }
    if any(description.get(name) != value for name, value in wanted.items()):
        return None
    for name in FILES:
        _copy(kept / name, output / name)
    return f"{output}: an earlier job had trained it to its end; taken over"


def plan(files: Collection[str], unrecorded: Collection[str]) -> None:
    """Note what the cluster is about to make, after a look at what it made unheard before.

    Files that an earlier Snakemake had planned, and that were finished after it was killed, have no
    record of their settings, so that a later edit would not make them again. They are removed.

    Args:
        files: what is to be made.
        unrecorded: of what is there or is to be made, the files of which Snakemake has no record.

    Raises:
        UserError: files were removed; the plan is made anew by the same command.
    """
    planned = set(read_json(PLANNED)) if PLANNED.exists() else set()
    unheard = [Path(name) for name in sorted(planned.intersection(unrecorded) - {*files})]
    unheard = [path for path in unheard if path.exists()]
    for path in unheard:
        path.unlink()
    if unheard:
        raise UserError(
            f"finished while no Snakemake was there to record how: {len(unheard)} files. They were "
            "removed, so that a later edit is not missed. Run the same command again: runs are "
            "taken over from what is kept, not trained"
        )
    write_json(PLANNED, sorted(files))


def forget() -> None:
    """Drop what is kept: the workflow has heard of every run's end."""
    shutil.rmtree(FINISHED, ignore_errors=True)
    PLANNED.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)


def _device(name: str) -> str:
    from rungs.device import describe, select_device

    return describe(select_device(name))
