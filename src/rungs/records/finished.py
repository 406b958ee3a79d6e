"""Finished runs that nobody may have heard of: taken over instead of trained again.

When Snakemake is killed, its jobs on a cluster go on. The next Snakemake knows that they were
started and not that they ended, deletes what they made and starts them again.
"""

import argparse
import importlib.metadata
import json
import shutil
from pathlib import Path

from rungs.digest import file_digest
from rungs.files import read_json, replacing

FINISHED = Path(".rungs/finished")
WEIGHTS, DESCRIPTION = "model.safetensors", "run.json"
FILES = (WEIGHTS, "history.jsonl", DESCRIPTION)


def keep(arguments: argparse.Namespace) -> None:
    """Keep a copy of the run that the stage `train` has just finished."""
    for name in FILES:
        _copy(arguments.output / name, FINISHED / arguments.output / name)


def take(arguments: argparse.Namespace) -> str | None:
    """Put back the run that the stage `train` is asked for, if it was finished and kept.

    Returns:
        The stage's summary; None where nothing is kept, or what is kept is another run: other
        settings, data, code, torch or device.
    """
    kept = FINISHED / arguments.output
    if not all((kept / name).exists() for name in FILES):
        return None
    description = read_json(kept / DESCRIPTION)
    if description["weights_sha256"] != file_digest(kept / WEIGHTS):
        return None
    wanted = {
        "architecture": json.loads(arguments.architecture),
        "budget": json.loads(arguments.budget),
        "seed": arguments.seed,
        "vocabulary": read_json(arguments.corpus)["vocabulary"],
        "train_sha256": file_digest(arguments.train),
        "validation_sha256": file_digest(arguments.validation),
        "code": arguments.code,
        "torch": importlib.metadata.version("torch"),
        "device": _device(arguments.device),
    }
    if any(description[name] != value for name, value in wanted.items()):
        return None
    for name in FILES:
        _copy(kept / name, arguments.output / name)
    return f"{arguments.output}: an earlier job had trained it to its end; taken over"


def forget() -> None:
    """Drop what is kept: the workflow has heard of every run's end."""
    shutil.rmtree(FINISHED, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)


def _device(name: str) -> str:
    from rungs.device import describe, select_device

    return describe(select_device(name))
