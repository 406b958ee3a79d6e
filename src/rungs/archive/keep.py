"""Command `archive`: keep what finished runs wrote down, for a machine that does not train them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from rungs.archive.archived import WAY_OUT, ArchivedRun, read_archived
from rungs.archive.plausible import refuse_implausible
from rungs.errors import UserError
from rungs.files import write_json
from rungs.reading import read_object, reading
from rungs.tables.numbers import counted


def run(
    archive: Annotated[Path, "a folder; runs of equal names in it are replaced, others stay"],
    /,
    *,
    results: Annotated[Path, "a folder of results (results)"] = Path("results"),
) -> str:
    """Write one file for every run that is trained and evaluated.

    Nothing is written before every file is read, and a run that is replaced is named.

    Raises:
        UserError: there is none, a file of one is damaged, or the archive would lie in the results.
    """
    if not results.is_dir():
        raise UserError(f"--results {results}: there is no such folder")
    if archive.resolve().is_relative_to(results.resolve()):
        raise UserError(f"{archive}: lies in the results; give a folder beside them")
    runs = {archive / f"{name}.json": run for name, run in finished(results)}
    if not runs:
        raise UserError(
            f"{results}: has no run that is trained and evaluated; run the workflow first"
        )
    before = {path: read_archived(path) for path in runs if path.exists()}
    changed = [path for path, run in runs.items() if before.get(path) != run]
    for path in changed:
        if path in before:
            with reading(path, WAY_OUT):
                print(f"{path}: {_size(before[path])} there, replaced by {_size(runs[path])}")
        write_json(path, runs[path].model_dump())
    counts = {
        "added": len(runs) - len(before),
        "replaced": sum(path in before for path in changed),
        "unchanged": len(runs) - len(changed),
    }
    words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"{archive}: {words} of {counted(len(runs), 'run')}"


def _size(archived: ArchivedRun) -> str:
    return f"{archived.run['budget']['steps']:,} steps on {archived.run['device']}"


def finished(results: Path) -> Iterator[tuple[str, ArchivedRun]]:
    """Yield address and content of every run that is trained and evaluated, in order.

    Raises:
        UserError: an evaluation is of other weights than the run's, or a file is damaged.
    """
    for path in sorted((results / "evaluations").rglob("seed*.json")):
        address = path.relative_to(results / "evaluations").with_suffix("")
        folder = results / "runs" / address
        if not (folder / "run.json").exists():
            continue
        description, evaluation = read_object(folder / "run.json"), read_object(path)
        if evaluation.get("weights_sha256") != description.get("weights_sha256"):
            raise UserError(
                f"{path}: is of other weights than {folder / 'run.json'}; run the workflow again"
            )
        samples = {
            sample.parts[-3]: read_object(sample)
            for sample in (results / "samples").glob(f"*/{address.parent.name}/{address.name}.json")
        }
        with reading(path):
            run = ArchivedRun(
                run=description,
                history=_history(folder / "history.jsonl"),
                evaluation=evaluation,
                samples=samples,
            )
        refuse_implausible(path, run)
        yield address.as_posix(), run


def _history(path: Path) -> list[dict[str, object]]:
    with reading(path):
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
