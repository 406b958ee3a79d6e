"""Before the first job and after the last, on this machine or as the head of a cluster."""

import atexit
import contextlib

from rungs.cluster.head import attend
from rungs.records import finished

HEAD_LEASE = contextlib.ExitStack()
atexit.register(HEAD_LEASE.close)


onstart:
    if workflow.local_exec:
        # To limit how fast jobs are submitted, Snakemake starts a timer in every round of its
        # scheduler, and every timer starts another round: after a hundred jobs, a hundred rounds
        # a second, a whole core's work. Local jobs need no such limit.
        workflow.scheduler.job_rate_limiter = None
    folder = shlex.quote(os.path.relpath(".", workflow.basedir))
    where = "" if folder == "." else f" --directory {folder}"
    print(f"What is running now: python -m rungs watch{where}", file=sys.stderr)
    if workflow.executor_plugin.name == "slurm":
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
                expected=lambda: sum(
                    not job.is_local for job in set(workflow.scheduler.running)
                ),
                say=logger.info,
            )
        except UserError as error:
            raise WorkflowError(str(error))
        executor = workflow.scheduler._executor
        report_job_error = executor.report_job_error

        def with_reason(submitted, msg=None, **more):
            """Snakemake drops the reason where a group of jobs failed, and says it of others."""
            if msg and submitted.job.is_group():
                logger.error(msg.partition("\n")[0])
            report_job_error(submitted, msg=msg, **more)

        executor.report_job_error = with_reason


onsuccess:
    # Snakemake has heard of the end of every run; see docs/decisions/leases.md.
    finished.forget()
