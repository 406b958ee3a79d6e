"""What the head of a cluster does before its first job: look behind, and watch what it waits for."""

import asyncio
import atexit
import contextlib
import threading

from rungs.cluster.head import attend
from rungs.records import finished

HEAD_LEASE = contextlib.ExitStack()
atexit.register(HEAD_LEASE.close)


def begin_as_head():
    try:
        finished.plan(
            [str(file) for job in workflow.dag.needrun_jobs() for file in job.output],
            unrecorded=[
                str(file)
                for job in workflow.dag.jobs
                if not workflow.persistence.has_metadata(job)
                for file in job.output
            ],
        )
        attend(
            HEAD_LEASE,
            expected=lambda: sum(not job.is_local for job in set(workflow.scheduler.running)),
            say=logger.info,
        )
    except UserError as error:
        raise WorkflowError(str(error))
    say_why_groups_fail()
    look_at_jobs_steadily()
    start_one_snakemake_for_each_job()
    keep_one_timer()


def say_why_groups_fail():
    """Snakemake says why a job failed or was refused, and drops the reason of a group of jobs."""
    executor = workflow.scheduler._executor
    report_job_error = executor.report_job_error

    def with_reason(submitted, msg=None, **more):
        if msg and submitted.job.is_group():
            logger.error(msg.partition("\n")[0])
        report_job_error(submitted, msg=msg, **more)

    executor.report_job_error = with_reason


def look_at_jobs_steadily():
    """The plugin waits ten seconds longer before each look, up to three minutes.

    Whatever follows a long job would begin minutes after its end.
    """
    seconds = workflow.executor_settings.init_seconds_before_status_checks
    workflow.scheduler._executor.sleep = lambda: asyncio.sleep(seconds)


def start_one_snakemake_for_each_job():
    """In a cluster job, the plugin has its Snakemake start another one for each job of a group.

    Of a group of short jobs that is most of the work. The first one can run them all: they have one
    node, and nothing of theirs is spread over it. The tasks of an array are told apart by the plugin.
    """
    executor = workflow.scheduler._executor
    if not executor.array_jobs:
        executor.additional_general_args = lambda: "--executor local"
        # SLURM sends SIGTERM to the job's shell as well, and SIGKILL to all others once it has ended.
        executor.get_job_exec_prefix = lambda job: "trap : TERM"


def keep_one_timer():
    """To limit how fast jobs are submitted, Snakemake starts a timer in every round of its scheduler.

    Every timer starts another round, and the last ones hold it up at its end, for a minute.
    """
    scheduler, timers = workflow.scheduler, []

    def reevaluate(seconds):
        if not any(timer.is_alive() for timer in timers):
            timers[:] = [threading.Timer(seconds, scheduler._open_jobs.release)]
            timers[0].daemon = True
            timers[0].start()

    scheduler._schedule_reevalutation = reevaluate
