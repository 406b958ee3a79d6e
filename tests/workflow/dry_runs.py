"""Dry runs from a process that has imported Snakemake already: a third of the time each."""

import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from multiprocessing.context import ForkServerContext
from pathlib import Path

CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["snakemake.cli", "snakemake.api", "pydantic"])

MESSAGE = re.compile(r"^Job \d+: (.+)$", re.MULTILINE)


def dry_run(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `snakemake WORDS`, which ask for a dry run, in a clone; both outputs are in `stdout`."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        process = CONTEXT.Process(target=_snakemake, args=(repository, words, output))
        process.start()
        process.join()
        assert process.exitcode is not None
        return subprocess.CompletedProcess(words, process.exitcode, output.read_text(), "")


def scheduled(repository: Path, *words: str) -> set[str]:
    """Return the messages of the jobs that `snakemake -n` schedules in a clone, `all` left out."""
    result = dry_run(repository, "--dry-run", "--cores", "2", *words)
    assert result.returncode == 0, result.stdout
    return set(MESSAGE.findall(result.stdout))


def _snakemake(repository: Path, words: tuple[str, ...], output: Path) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.chdir(repository)
    # The clone's package, in this process and in those that Snakemake starts.
    sys.path.insert(0, str(repository / "src"))
    os.environ["PYTHONPATH"] = str(repository / "src")
    from snakemake.cli import main

    main(list(words))
