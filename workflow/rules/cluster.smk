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
            [str(file) for job in jobs_to_run() for file in job.output],
            unrecorded=files_without_a_record(),
        )
        attend(
            HEAD_LEASE,
            expected=remote_jobs_running,
            say=logger.info,
        )
    except UserError as error:
        raise WorkflowError(str(error))
    say_why_groups_fail()
    run_a_group_in_one_snakemake()
