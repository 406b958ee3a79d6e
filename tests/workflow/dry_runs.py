"""Dry runs from a process that has imported Snakemake already: a third of the time each."""

import multiprocessing
import os
import re
import sys
from multiprocessing.context import ForkServerContext
from pathlib import Path

CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["snakemake.cli", "snakemake.api", "pydantic"])


def scheduled(repository: Path, *words: str) -> set[str]:
    """Return the messages of the jobs that `snakemake -n` schedules in a clone, `all` left out."""
    output = repository / "dry_run.txt"
    process = CONTEXT.Process(target=_dry_run, args=(repository, words, output))
    process.start()
    process.join()
    text = output.read_text()
    output.unlink()
    assert process.exitcode == 0, text
    return set(re.findall(r"^Job \d+: (.+)$", text, re.MULTILINE))


def _dry_run(repository: Path, words: tuple[str, ...], output: Path) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.chdir(repository)
    # The clone's package, in this process and in those that Snakemake starts.
    sys.path.insert(0, str(repository / "src"))
    os.environ["PYTHONPATH"] = str(repository / "src")
    from snakemake.cli import main

    main(["--dry-run", "--cores", "2", *words])
