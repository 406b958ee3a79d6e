"""Before the first job and after the last. What is said goes through Snakemake's logger, which does
without a terminal that was closed."""

import signal
import time

from rungs.archive.plausible import refuse_implausible
from rungs.corpus.tokens import refuse_short_validation
from rungs.files import read_json
from rungs.records.events import keep_events, last_invocation
from rungs.records.leftovers import remove_leftovers
from rungs.records.written import refuse_changed_results
from rungs.tables.numbers import counted
from rungs.watching.stopped import left_checkpoints, stopped_runs, what_failed

STARTED = time.time()
CHECKPOINTS = Path(".rungs/checkpoints")

if workflow.exec_mode == ExecMode.DEFAULT:
    try:
        # Before Snakemake compares anything: what reads a damaged file is never planned.
        refuse_changed_results(command(), Path(as_typed(results_folder())))
    except UserError as error:
        raise WorkflowError(str(error))


def refuse_damaged_archive():
    """Taking a run refuses a damaged file as well, but perhaps after hours of training others."""
    try:
        for job in jobs_to_run():
            if archived := job.input.get("archived"):
                refuse_implausible(Path(archived), read_archived(Path(archived)))
    except UserError as error:
        raise WorkflowError(str(error))


def refuse_short_validations():
    """An evaluation refuses windows that a split does not fill, but after its run was trained."""
    jobs = jobs_to_run()
    made_anew = {str(file) for job in jobs for file in job.output}
    try:
        for job in jobs:
            if job.rule.name == "train" and job.input.corpus not in made_anew:
                tokens = read_json(Path(job.input.corpus))["validation_tokens"]
                window = CONFIG.longest_window(run_at(job.wildcards))
                refuse_short_validation(Path(job.input.validation), tokens, window)
    except UserError as error:
        raise WorkflowError(str(error))


def end_as_on_sigterm():
    """A closed terminal sends SIGHUP and Ctrl-\\ SIGQUIT: end with what runs, and unlock the folder."""
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) != signal.SIG_IGN:  # as `nohup` has it
            signal.signal(number, signal.getsignal(signal.SIGTERM))


onstart:
    logger.addHandler(
        keep_events(
            workflow.cores,
            CONFIG.canonical(),
            [(job.rule.name, job.wildcards_dict) for job in jobs_to_run()],
        )
    )
    end_as_on_sigterm()
    refuse_damaged_archive()
    refuse_short_validations()
    limit_no_submissions()
    folder = shlex.quote(os.path.relpath(".", workflow.basedir))
    where = "" if folder == "." else f" --directory {folder}"
    logger.info(f"What is running now: python -m rungs watch{where}")
    if workflow.executor_plugin.name == "slurm":
        begin_as_head()


onsuccess:
    # Snakemake has heard of the end of every run; see docs/decisions/leases.md.
    finished.forget()
    remove_leftovers(CHECKPOINTS, STARTED)
    remove_leftovers(Path("results"), STARTED, set(map(Path, planned_files())))
    if left := left_checkpoints(CHECKPOINTS, as_typed(results_folder() / CHECKPOINTS)):
        logger.info(left)


onerror:
    if invocation := last_invocation(Path()):
        for line in what_failed(invocation):
            logger.error(line)
    # Snakemake calls a run that Ctrl-C stopped a failed one.
    if stopped := stopped_runs(Path("logs/runs").rglob("*.log"), STARTED):
        logger.info(
            f"{counted(stopped, 'run')} stopped at a checkpoint: the same command goes on from there."
        )
