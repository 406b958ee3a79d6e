"""All that we use of Snakemake without its promise, each with what a user loses without it and where
upstream knows of it. tests/workflow/test_internals.py fails when what is used is another."""


def limit_no_submissions():
    """A core's work of the head, and a minute at its end.

    To limit how fast jobs are submitted, Snakemake starts a timer in every round of its scheduler, and
    every timer starts another round: a hundred rounds a second after a hundred jobs. No setting turns
    it off; `jobs` limits how many are submitted. Upstream: snakemake#3744.
    """
    workflow.scheduler.job_rate_limiter = None


def say_why_groups_fail():
    """The reason why SLURM refused or ended a group of jobs.

    Snakemake says it of a single job and drops it of a group. Upstream:
    snakemake-executor-plugin-slurm#456.
    """
    executor = workflow.scheduler._executor
    report_job_error = executor.report_job_error

    def with_reason(submitted, msg=None, **more):
        if msg and submitted.job.is_group():
            logger.error(msg.partition("\n")[0])
        report_job_error(submitted, msg=msg, **more)

    executor.report_job_error = with_reason


def run_a_group_in_one_snakemake():
    """Checkpoints of a run that SLURM ends; and most of the time of a group of short jobs.

    SLURM sends SIGTERM to a job's shell as well, and SIGKILL to all others once that has ended. And in a
    cluster job, the plugin has its Snakemake start another one for each job of a group: the first can
    run them all, on its one node. Upstream: snakemake-executor-plugin-slurm#458. The tasks of an
    array are told apart by the plugin.
    """
    executor = workflow.scheduler._executor
    if not executor.array_jobs:
        executor.additional_general_args = lambda: "--executor local"
        executor.get_job_exec_prefix = lambda job: "trap : TERM"


def jobs_to_run():
    """Refusals before the first job, and what `watch` shows: nothing public lists the planned jobs."""
    return list(workflow.dag.needrun_jobs())


def planned_files():
    """What a killed job left of a file: nothing public lists the files that are whole in the end."""
    return [file for job in workflow.dag.jobs for file in job.output]


def files_without_a_record():
    """Edits after a head was killed: files that Snakemake has no record of would never be made again."""
    return [
        str(file)
        for job in workflow.dag.jobs
        if not workflow.persistence.has_metadata(job)
        for file in job.output
    ]


def remote_jobs_running():
    """How many jobs the head of a cluster waits for."""
    return sum(not job.is_local for job in set(workflow.scheduler.running))
