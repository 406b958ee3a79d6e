"""`why`: what would run, and because of which edit, before anything runs."""

import argparse
from collections import defaultdict
from pathlib import Path

from rungs.cli import STAGES
from rungs.config import read_config
from rungs.errors import UserError
from rungs.planning.jobs import Job, jobs_to_run
from rungs.reruns.edits import Edit, edits
from rungs.reruns.origin import other_origin
from rungs.reruns.sentences import jobs_in_words, sentences


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments, which have Snakemake's names."""
    parser.add_argument("target", nargs="*", help="files to make; by default everything")
    parser.add_argument("--configfile", type=Path, nargs="+", default=[], metavar="FILE")
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ is")


def run(arguments: argparse.Namespace) -> str:
    """Print a sentence for every edit, and return how many jobs would run.

    Raises:
        UserError: this is not the workflow's folder, or Snakemake refuses the targets or the
            configuration.
    """
    root = Path.cwd()
    if not (root / "Snakefile").exists():
        raise UserError(f"{root}: has no Snakefile; run this in the folder of the workflow")
    config = read_config(root / "config.yaml", *arguments.configfile, values=arguments.config)
    order = list(STAGES)
    to_run = jobs_to_run(_snakemake_words(arguments), arguments.directory)
    jobs = sorted(
        (job for job in to_run if job.command),  # the others only name targets
        key=lambda job: (order.index(job.command[0]), job.address),
    )
    because: dict[Edit, list[Job]] = defaultdict(list)
    following = []
    for job in jobs:
        found = other_origin(job, config.archive, arguments.directory) or edits(
            job, STAGES[job.command[0]][0], arguments.directory
        )
        for edit in found:
            because[edit].append(job)
        if not found:
            following.append(job)
    for sentence in sentences(because):
        print(sentence)
    if following:
        print(f"what reads the results of these: {jobs_in_words(following)}")
    if not jobs:
        return "Nothing would run: every file is there and up to date"
    return f"{len(jobs):,} {'job' if len(jobs) == 1 else 'jobs'} would run"


def _snakemake_words(arguments: argparse.Namespace) -> list[str]:
    words = [*arguments.target, "--directory", str(arguments.directory)]
    if arguments.configfile:
        words += ["--configfile", *map(str, arguments.configfile)]
    if arguments.config:
        words += ["--config", *arguments.config]
    return words
