"""What the head of a cluster does before its first job: look behind, and watch what it waits for."""

import atexit
import contextlib

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


def say_why_groups_fail():
    """Snakemake says why a job failed or was refused, and drops the reason of a group of jobs."""
    executor = workflow.scheduler._executor
    report_job_error = executor.report_job_error

    def with_reason(submitted, msg=None, **more):
        if msg and submitted.job.is_group():
            logger.error(msg.partition("\n")[0])
        report_job_error(submitted, msg=msg, **more)

    executor.report_job_error = with_reason
