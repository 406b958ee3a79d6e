"""Where the numbers come from: code, settings, versions, hardware, date."""

import datetime
import importlib.metadata
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import rungs
from rungs.archive.archived import address
from rungs.archive.proofs import Proof, equal_versions
from rungs.code import code_digest
from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.digest import text_digest
from rungs.errors import UserError
from rungs.reading import read_object
from rungs.training.pieces import unused_by_run

PACKAGES = ("torch", "snakemake", "tokenizers", "numpy", "pandas", "scipy", "matplotlib")


def describe_machine(
    config: Config, descriptions: Mapping[Run, dict[str, object]], results: Path
) -> dict[str, str]:
    """Return what the report was made with, by name.

    Args:
        config: the configuration.
        descriptions: the ``run.json`` of every finished run.
        results: the folder of results.
    """
    runs = descriptions.values()
    folders = (results / "runs" / address(run) for run in descriptions)
    taken = sum(not (folder / "model.safetensors").is_file() for folder in folders)
    archive = {"runs from the archive": f"{taken} of {len(runs)}"} if config.archive else {}
    versions = {name: _version(name) for name in PACKAGES}
    return {
        "code": code_version(),
        "configuration": f"SHA-256 {text_digest(config.canonical())[:16]}",
        "devices of the runs": _distinct(runs, "device") or "no run is finished",
        "torch of the runs": _distinct(runs, "torch") or "no run is finished",
        **archive,
        "processor of this machine": processor(),
        "Python": platform.python_version(),
        "packages": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "date": report_date(),
    }


def finished_runs(results: Path, config: Config) -> tuple[dict[Run, dict[str, object]], int]:
    """Return the ``run.json`` of every finished run behind an experiment, and how many are wanted.

    Runs that the configuration no longer asks for are left out. Those of a chapter that is not
    wanted count where they are finished.
    """
    known = {run for experiment in config.experiments for run in config.runs(experiment)}
    paths = {run: results / "runs" / address(run) / "run.json" for run in sorted(known)}
    finished = {run: read_object(path) for run, path in paths.items() if path.is_file()}
    wanted = {run for experiment in config.wanted() for run in config.runs(experiment)}
    return finished, len(wanted | finished.keys())


def warnings(
    config: Config, descriptions: dict[Run, dict[str, Any]], proofs: Sequence[Proof]
) -> list[str]:
    """Return what makes the runs not comparable with one another or with this code.

    Variants are made by different pieces of the code, so that their digests differ anyway; each
    is compared with the digest that the code has now for such a run, and with those that are proved
    equal to it.
    """
    found = [_untrusted_checkout(), _other_code(config, descriptions, proofs)]
    for key, what in {"torch": "versions of torch", "device": "devices"}.items():
        if len(values := _values(descriptions.values(), key)) > 1:
            found.append(
                f"The runs were made with {len(values)} {what}: {', '.join(values)}. Each rounds "
                "in its own way, so that one seed gives other numbers on each, and a difference "
                "between runs of two is not that of their variants alone; to compare them, train "
                "all with one."
            )
    return [warning for warning in found if warning]


def _other_code(
    config: Config, descriptions: dict[Run, dict[str, Any]], proofs: Sequence[Proof]
) -> str:
    others = []
    for run, description in descriptions.items():
        unused = unused_by_run(config.variants[run.variant], config.budgets[run.budget])
        today = code_digest("rungs.training.train", unused)
        if description.get("code") not in equal_versions(proofs, today):
            others.append(run)
    if not others:
        return ""
    first = f"{others[0].variant}, {others[0].budget}, seed {others[0].seed}"
    return (
        f"{len(others)} of {len(descriptions)} runs were made by another version of the training "
        f"code than the one that wrote this report ({first}{' and others' * (len(others) > 1)})."
    )


def code_version() -> str:
    """Return the commit of the checkout that holds the code, or the package's version."""
    package = Path(rungs.__file__).parent
    commit = _git(package, "rev-parse", "HEAD")
    # An installed package may lie inside the checkout of something else.
    if not commit or not _git(package, "ls-files", "__init__.py"):
        what = "commit unknown" if _untrusted_checkout() else "not a git checkout"
        return f"rungs {_version('rungs')}, {what}"
    changed = _git(package, "status", "--porcelain", "--untracked-files=no")
    # A configuration of one's own beside the code is no change of it; a new module or rule is.
    added = _git(package, "ls-files", "--others", "--exclude-standard", ".", "../../workflow")
    return f"commit {commit[:12]}{', with uncommitted changes' if changed or added else ''}"


def _untrusted_checkout() -> str:
    """Return what to do where git is silent because another user owns the checkout."""
    answer = _ask_git(Path(rungs.__file__).parent, "rev-parse", "HEAD")
    if answer is None or "safe.directory" not in answer.stderr:
        return ""
    command = answer.stderr.strip().splitlines()[-1].strip()
    return (
        "The commit of the code is not known: git does not trust a checkout of another user's. "
        f"After `{command}` it is."
    )


def report_date() -> str:
    """Return the date in UTC; SOURCE_DATE_EPOCH, seconds, sets it for a repeatable page.

    Raises:
        UserError: it is no such number.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.datetime.now(datetime.UTC)
    try:
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else now
    except (ValueError, OverflowError, OSError) as error:
        raise UserError(
            f"SOURCE_DATE_EPOCH: {epoch[:40]} is no time in seconds since 1970 ({error}); unset it"
        ) from error
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def processor() -> str:
    """Return the processor's model name, or what the platform says of it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} logical cores"


def _values(descriptions: Iterable[dict[str, object]], key: str) -> list[str]:
    return sorted({str(description[key]) for description in descriptions if key in description})


def _distinct(descriptions: Iterable[dict[str, object]], key: str) -> str:
    return ", ".join(_values(descriptions, key))


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _git(folder: Path, *words: str) -> str:
    """Return what git says about the folder; nothing without git or a checkout."""
    answer = _ask_git(folder, *words)
    return answer.stdout.strip() if answer else ""


def _ask_git(folder: Path, *words: str) -> "subprocess.CompletedProcess[str] | None":
    """Return git's answer, in English; None without git."""
    git = shutil.which("git")
    if git is None:
        return None
    return subprocess.run(  # noqa: S603
        [git, "-C", str(folder), *words],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
