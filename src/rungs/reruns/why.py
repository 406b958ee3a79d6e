"""`why`: what would run, and because of which edit, before anything runs."""

from collections import defaultdict
from pathlib import Path

from rungs.config import read_config
from rungs.planning.jobs import (
    ConfigFiles,
    ConfigValues,
    Directory,
    Job,
    Targets,
    jobs_to_run,
    snakemake_words,
    workflow_folder,
)
from rungs.reruns.edits import Edit, edits
from rungs.reruns.origin import other_origin
from rungs.reruns.sentences import jobs_in_words, sentences
from rungs.stages import STAGES


def run(
    target: Targets = (),
    /,
    *,
    configfile: ConfigFiles = (),
    config: ConfigValues = (),
    directory: Directory = Path(),
) -> str:
    """Print a sentence for every edit, and return how many jobs would run.

    Raises:
        UserError: this is not the workflow's folder, or Snakemake refuses the targets or the
            configuration.
    """
    root = workflow_folder()
    configured = read_config(root / "config.yaml", *configfile, values=config)
    order = list(STAGES)
    to_run = jobs_to_run(snakemake_words(target, directory, configfile, config), directory)
    jobs = sorted(
        (job for job in to_run if job.command),  # the others only name targets
        key=lambda job: (order.index(job.command[0]), job.address),
    )
    because: dict[Edit, list[Job]] = defaultdict(list)
    following = []
    for job in jobs:
        found = other_origin(job, configured.archive, directory) or edits(
            job, STAGES[job.command[0]].module, directory
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
