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


onsuccess:
    # Snakemake has heard of the end of every run; see docs/decisions/leases.md.
    finished.forget()
