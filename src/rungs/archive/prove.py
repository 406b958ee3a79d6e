"""Command `prove`: show that today's training code makes an archive's runs, to the bit.

A refactoring that changes no number gives the code another digest, and every archived run would be
of "another version of the training code". Runs of each version are trained anew, to their first
recorded entry: where one is the same to the bit, the archive records that both versions are equal.

Processors of one kind may round differently. Where this one repeats no run, a checkout of the code
that made it can be given instead: both versions are run here, and compared.
"""

import json
import logging
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import torch

from rungs.archive.archived import WAY_OUT, ArchivedRun, read_archived
from rungs.archive.proofs import PROOFS, Proof, equal_versions, read_proofs
from rungs.code import PACKAGE, code_digest
from rungs.corpus.tokens import load_tokens
from rungs.device import describe, select_device
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.files import canonical_json, read_json, write_json
from rungs.finding import Finding
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.planning import flops
from rungs.reading import reading
from rungs.training.budget import Budget
from rungs.training.loop import train
from rungs.training.pieces import unused_by_run

logger = logging.getLogger(__name__)

TRIES = 3
"""Runs of a version that are trained anew, seeds first, before it is said to differ."""
STEPS = 40
"""Updates that two versions are compared over."""


def run(
    archive: Annotated[Path, "a folder of archived runs"],
    /,
    *,
    results: Annotated[Path, "where its corpora are (results)"] = Path("results"),
    checkout: Annotated[Path | None, "of the code that made the runs: both are run here"] = None,
) -> str:
    """Train runs of each version of the code anew, and record what is equal.

    Raises:
        UserError: there is no archive, or a corpus is missing or another one.
        Finding: a version gives other numbers.
    """
    told: Counter[str] = Counter()
    differing = []
    for (recorded, today), candidates in unproved_versions(archive).items():
        tried = _to_try(candidates, here=checkout is None)
        for address, archived in tried:
            logger.info("%s: %s", recorded, address)
            proofs = read_proofs(archive / PROOFS)
            # Of code that was proved equal to the run's, as that of an earlier refactoring.
            version = _version_in(checkout, archived.run) if checkout else recorded
            if version not in equal_versions(proofs, recorded):
                told["not of this checkout"] += 1
                break
            corpus = results / "corpus" / address.split("/")[0]
            refuse_other_tokens(archived, corpus)
            if checkout:
                steps = _equal_steps_beside(archived, corpus, checkout, version)
            else:
                steps = _equal_steps_again(archived, corpus)
            if steps:
                device = describe(select_device("auto", archived.run["budget"]["threads"]))
                proof = Proof(version, today, address, steps, device, torch.__version__)
                write_json(archive / PROOFS, [entry._asdict() for entry in (*proofs, proof)])
                told["equal"] += 1
                break
        else:
            if tried:
                differing.append(tried[0][0])
            else:
                told["not of this device"] += 1
    words = ", ".join(f"{count} {what}" for what, count in told.items())
    if differing:
        raise Finding(
            f"{archive}: {words or '0 equal'}; other numbers than {', '.join(differing)}: the code "
            "changed them, or another processor made them; --checkout tells which"
        )
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
        with reading(path, WAY_OUT):
            recorded, today = archived.run["code"], version_today(archived.run)
            if not isinstance(recorded, str):
                raise ValueError("run.code is not a digest")
        if recorded not in equal_versions(proofs, today):
            address = path.relative_to(archive).with_suffix("").as_posix()
            versions[recorded, today][address] = archived
    return versions


def version_today(description: dict[str, Any]) -> str:
    """Return the digest of the code that would train the run of a ``run.json`` now."""
    architecture = Architecture.model_validate(description["architecture"])
    budget = Budget.model_validate(description["budget"])
    return code_digest("rungs.training.train", unused_by_run(architecture, budget))


def refuse_other_tokens(archived: ArchivedRun, corpus: Path) -> None:
    """Refuse to train a run on other tokens than it was trained on.

    Raises:
        UserError: names the file.
    """
    for split in ("train", "validation"):
        path = corpus / f"{split}.npy"
        load_tokens(path)
        if file_digest(path) != archived.run[f"{split}_sha256"]:
            raise UserError(f"{path}: is not what the archived run was trained on; make it again")


def _equal_steps_again(archived: ArchivedRun, corpus: Path) -> int:
    """Return after how many steps the recorded losses come out again; 0 if others do."""
    entries = archived.history[: 1 + (archived.history[0]["training_loss"] is None)]
    budget = Budget.model_validate(archived.run["budget"])
    device = select_device("auto", budget.threads)
    torch.manual_seed(archived.run["seed"])
    model = LanguageModel(
        Architecture.model_validate(archived.run["architecture"]), archived.run["vocabulary"]
    ).to(device)
    steps = int(entries[-1]["step"])
    with TemporaryDirectory() as folder:
        progress = train(
            model, budget, archived.run["seed"], load_tokens(corpus / "train.npy"),
            load_tokens(corpus / "validation.npy"), Path(folder) / "checkpoint.safetensors",
            stop_requested=lambda: False, until=steps,
        )  # fmt: skip
    return steps if _numbers(progress.history) == _numbers(entries) else 0


def _equal_steps_beside(archived: ArchivedRun, corpus: Path, checkout: Path, recorded: str) -> int:
    """Return after how many steps both versions have the same losses and weights; 0 if not.

    Raises:
        UserError: the checkout is of another version than the run, or cannot train it.
    """
    budget = {
        **Budget.model_validate(archived.run["budget"]).model_dump(exclude_defaults=True),
        "steps": STEPS,
        "validate_every": STEPS // 2,
    }
    architecture = Architecture.model_validate(archived.run["architecture"])
    command = [
        *("train", "--train", str(corpus / "train.npy")),
        *("--validation", str(corpus / "validation.npy")),
        *("--corpus", str(corpus / "summary.json"), "--seed", str(archived.run["seed"])),
        *("--architecture", architecture.model_dump_json(exclude_defaults=True)),
        *("--budget", canonical_json(budget)),
    ]
    outcomes = []
    with TemporaryDirectory() as folder:
        for code, package in ((recorded, checkout / "src"), ("", PACKAGE.parent)):
            output = Path(folder, code or "today")
            words = [*command, "--output", str(output), "--checkpoints", folder]
            words += ["--code", code] if code else []
            answer = subprocess.run(  # noqa: S603
                [sys.executable, "-m", "rungs", *words],
                env={**os.environ, "PYTHONPATH": str(package.resolve())},
                capture_output=True,
                text=True,
                check=False,
            )
            if answer.returncode:
                raise UserError(f"{package}: {answer.stderr.strip() or answer.stdout.strip()}")
            lines = (output / "history.jsonl").read_text("utf-8").splitlines()
            weights = read_json(output / "run.json")["weights_sha256"]
            outcomes.append((_numbers([json.loads(line) for line in lines]), weights))
    return STEPS if outcomes[0] == outcomes[1] else 0


def _version_in(checkout: Path, description: dict[str, Any]) -> str:
    """Return the digest of a checkout's training code for the run of a ``run.json``.

    Raises:
        UserError: there is no such package.
    """
    if not (checkout / "src/rungs/training").is_dir():
        raise UserError(f"--checkout {checkout}: has no src/rungs/training; name a clone's folder")
    asked = (
        "import json, sys; from rungs.code import code_digest; from rungs.stages import STAGES; "
        "from rungs.model.architecture import Architecture as A; "
        "from rungs.training.budget import Budget as B; "
        "from rungs.training.pieces import unused_by_run; a, b = map(json.loads, sys.argv[1:]); "
        "unused = unused_by_run(A.model_validate(a), B.model_validate(b)); "
        "print(code_digest(STAGES['train'].module, unused))"
    )
    architecture = Architecture.model_validate(description["architecture"])
    budget = Budget.model_validate(description["budget"])
    settings = [model.model_dump_json(exclude_defaults=True) for model in (architecture, budget)]
    answer = subprocess.run(  # noqa: S603
        [sys.executable, "-c", asked, *settings],
        env={**os.environ, "PYTHONPATH": str((checkout / "src").resolve())},
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        last = answer.stderr.strip().splitlines()[-1]
        raise UserError(f"--checkout {checkout}: has no training code that can be asked ({last})")
    return answer.stdout.strip()


def _numbers(value: Any) -> Any:
    """Return what of a history depends on the code alone, without the names of its columns."""
    if isinstance(value, dict):
        return [_numbers(v) for key, v in value.items() if key != "tokens_per_second"]
    return [_numbers(entry) for entry in value] if isinstance(value, list) else value


def _to_try(candidates: dict[str, ArchivedRun], *, here: bool) -> list[tuple[str, ArchivedRun]]:
    """Return the runs with the least to compute; with ``here``, of this device and torch alone."""

    def operations(item: tuple[str, ArchivedRun]) -> int:
        _, archived = item
        budget = Budget.model_validate(archived.run["budget"])
        architecture = Architecture.model_validate(archived.run["architecture"])
        step = flops.training_step(
            architecture, archived.run["vocabulary"], budget.batch_size, budget.context_length
        )
        return step.total * budget.validate_every

    def suits(archived: ArchivedRun) -> bool:
        if archived.run.get("diverged_at_step") is not None:  # its history may hold no loss
            return False
        threads = archived.run["budget"]["threads"]
        device = describe(select_device("auto", threads))
        return archived.run["device"] == device and archived.run["torch"] == torch.__version__

    found = [item for item in candidates.items() if not here or suits(item[1])]
    return sorted(found, key=operations)[: TRIES if here else 1]
