"""A copy of the repository with a tiny configuration, finished, to be edited and damaged."""

import hashlib
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import yaml

from tests.workflow.workflow import ROOT, SNAKEMAKE, Workflow

TIMES = ("tokens_per_second", "seconds", "core_seconds")
"""What a run says of the time it took."""
TELL_TIMES = ("report.html", "report.md", "provenance.json")
"""Say how long every stage took. No other result depends on the machine's mood."""


class Tree(Workflow):
    """A clone of the repository in which results lie beside the code, as after `snakemake`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, repository=folder)

    @property
    def results(self) -> Path:
        """The folder of results."""
        return self.folder / "results"

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the first ``old`` in a file of the repository."""
        file = self.folder / name
        text = file.read_text()
        assert old in text, f"{name} has no {old}"
        file.write_text(text.replace(old, new, 1))

    def put(self, name: str, text: str) -> None:
        """Put another text in the place of a result, and allow it."""
        (self.folder / name).write_text(text)
        (self.folder / ".rungs/written" / name).unlink()

    def configure(self, path: str, value: object) -> None:
        """Set a key of the configuration, named with dots."""
        file = self.folder / "config.yaml"
        whole = yaml.safe_load(file.read_text())
        *parents, last = path.split(".")
        section = whole
        for parent in parents:
            section = section[parent]
        section[last] = value
        file.write_text(yaml.safe_dump(whole, sort_keys=False))

    def start(self, *words: str, output: IO[str] | int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start Snakemake in a shell, as a user does, without waiting for it."""
        line = f'"{SNAKEMAKE}" --cores 2 "$@"; exit $?'
        return subprocess.Popen(
            ["bash", "-c", line, "snakemake", *words],
            cwd=self.folder, env=self.environment(), text=True, start_new_session=True,
            stdout=output, stderr=subprocess.STDOUT, preexec_fn=_hear_signals,
        )  # fmt: skip

    def finish(self, *targets: str) -> None:
        """Type the same command again, and what its message says to type where it refuses."""
        result = self.run(*targets, check=False)
        output = result.stdout + result.stderr
        if "cannot be locked" in output:
            assert "--unlock" in output
            self.run("--unlock")
            result = self.run(*targets, check=False)
        assert result.returncode == 0, result.stdout + result.stderr

    def copy(self, folder: Path) -> "Tree":
        """Return a copy at another path, with the time stamps of the files."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Tree(folder)

    def content(self) -> dict[str, str]:
        """Return a digest of every result, the times in them left out."""
        return {
            path.relative_to(self.results).as_posix(): hashlib.sha256(_timeless(path)).hexdigest()
            for path in sorted(self.results.rglob("*"))
            if path.is_file()
        }


def plant(folder: Path) -> Tree:
    """Copy the repository into the folder, with the tiny configuration."""
    for name in ("Snakefile", "config", "profiles", "src", "workflow"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
            )
        else:
            shutil.copy2(source, folder / name)
    shutil.copy2(Path(__file__).with_name("tiny.yaml"), folder / "config.yaml")
    return Tree(folder)


def _timeless(path: Path) -> bytes:
    if path.name in TELL_TIMES:
        return b""
    if path.name == "run.json":
        return json.dumps(_without_times(json.loads(path.read_text()))).encode()
    if path.name == "history.jsonl":
        return b"\n".join(_entries(path))
    return path.read_bytes()


def _entries(path: Path) -> Iterator[bytes]:
    for line in path.read_text().splitlines():
        yield json.dumps(_without_times(json.loads(line))).encode()


def _without_times(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if key not in TIMES}


def _hear_signals() -> None:
    """Undo what `nohup` and `&` leave to every process below them: signals that are ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
