"""Command `prove`: show that today's training code makes an archive's runs, to the bit.

A refactoring that changes no number gives the code another digest, and every archived run would be
of "another version of the training code". One run of each version is trained anew, to its first
recorded entry: where that is the same to the bit, the archive records that both versions are equal.
"""

import argparse
import logging
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from rungs.archive.archived import ArchivedRun, read_archived
from rungs.archive.proofs import PROOFS, Proof, equal_versions, read_proofs
from rungs.code import code_digest
from rungs.corpus.tokens import load_tokens
from rungs.device import describe, select_device
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import write_json
from rungs.finding import Finding
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.planning import flops
from rungs.training.budget import Budget
from rungs.training.loop import train
from rungs.training.pieces import unused_by_run

logger = logging.getLogger(__name__)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("archive", type=Path, help="a folder of archived runs")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="where its corpora are (results)"
    )


def run(arguments: argparse.Namespace) -> str:
    """Train one run of each version of the code anew, and record what is equal.

    Raises:
        UserError: there is no archive, or a corpus is missing or another one.
        Finding: a version gives other numbers.
    """
    archive: Path = arguments.archive
    versions = unproved_versions(archive)
    told: Counter[str] = Counter()
    differing = []
    for (recorded, today), candidates in versions.items():
        chosen = _cheapest_here(candidates)
        if chosen is None:
            devices = {archived.run["device"] for archived in candidates.values()}
            logger.info("%s: none of its runs is of this device, but of %s", recorded, devices)
            told["not of this device"] += 1
            continue
        address, archived = chosen
        entries = archived.history[: 1 + (archived.history[0]["training_loss"] is None)]
        logger.info("%s: %s to step %d", recorded, address, entries[-1]["step"])
        again = train_again(archived, arguments.results / "corpus" / address.split("/")[0], entries)
        if without_rate(again) != without_rate(entries):
            differing.append(f"{address}: was {entries[-1]}, is {again[-1]}")
            continue
        told["equal"] += 1
        proof = Proof(
            recorded, today, address, entries[-1]["step"], archived.run["device"], torch.__version__
        )
        proofs = [*read_proofs(archive / PROOFS), proof]
        write_json(archive / PROOFS, [entry._asdict() for entry in proofs])
    if differing:
        raise Finding("other numbers than the archive's: " + "; ".join(differing))
    words = ", ".join(f"{count} {what}" for what, count in told.items())
    return f"{archive}: {words or 'every run is of this code'}"


def unproved_versions(archive: Path) -> dict[tuple[str, str], dict[str, ArchivedRun]]:
    """Return the runs of other code than today's that no proof connects, by both digests.

    Raises:
        UserError: there is no archive, or a file of it is damaged.
    """
    paths = sorted(archive.rglob("seed*.json"))
    if not paths:
        raise UserError(f"{archive}: has no archived run; give the folder of an archive")
    proofs = read_proofs(archive / PROOFS)
    versions: dict[tuple[str, str], dict[str, ArchivedRun]] = defaultdict(dict)
    for path in paths:
        archived = read_archived(path)
        recorded, today = archived.run["code"], version_today(archived.run)
        if recorded not in equal_versions(proofs, today):
            address = path.relative_to(archive).with_suffix("").as_posix()
            versions[recorded, today][address] = archived
    return versions


def version_today(description: dict[str, Any]) -> str:
    """Return the digest of the code that would train the run of a ``run.json`` now."""
    architecture = Architecture.model_validate(description["architecture"])
    budget = Budget.model_validate(description["budget"])
    return code_digest("rungs.training.stage", unused_by_run(architecture, budget))


def train_again(
    archived: ArchivedRun, corpus: Path, entries: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the first entries of the history of a run that is trained anew.

    Args:
        archived: the run.
        corpus: the folder of its tokens.
        entries: as many are made.

    Raises:
        UserError: the tokens are missing, or not those that the run was trained on.
    """
    description = archived.run
    splits = {}
    for split in ("train", "validation"):
        path = corpus / f"{split}.npy"
        splits[split] = load_tokens(path)
        if file_digest(path) != description[f"{split}_sha256"]:
            raise UserError(f"{path}: is not what the archived run was trained on; make it again")
    budget = Budget.model_validate(description["budget"])
    device = select_device("auto", budget.threads)
    torch.manual_seed(description["seed"])
    model = LanguageModel(
        Architecture.model_validate(description["architecture"]), description["vocabulary"]
    ).to(device)
    with TemporaryDirectory() as folder:
        progress = train(
            model, budget, description["seed"], splits["train"], splits["validation"],
            Path(folder) / "checkpoint.safetensors", stop_requested=lambda: False,
            until=entries[-1]["step"],
        )  # fmt: skip
    return progress.history


def without_rate(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what of a history depends on the code and not on the machine's speed."""
    return [{k: v for k, v in entry.items() if k != "tokens_per_second"} for entry in entries]


def _cheapest_here(candidates: dict[str, ArchivedRun]) -> tuple[str, ArchivedRun] | None:
    """Return the run with the least to compute, of those of this device and version of torch."""

    def operations(item: tuple[str, ArchivedRun]) -> int:
        _, archived = item
        budget = Budget.model_validate(archived.run["budget"])
        architecture = Architecture.model_validate(archived.run["architecture"])
        step = flops.training_step(
            architecture, archived.run["vocabulary"], budget.batch_size, budget.context_length
        )
        return step.total * budget.validate_every

    def is_here(archived: ArchivedRun) -> bool:
        threads = archived.run["budget"]["threads"]
        here = describe(select_device("auto", threads))
        return archived.run["device"] == here and archived.run["torch"] == torch.__version__

    here = [(address, archived) for address, archived in candidates.items() if is_here(archived)]
    return min(here, key=operations, default=None)
