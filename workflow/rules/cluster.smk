"""What the head of a cluster does before the first job."""

import atexit
import contextlib

from rungs.cluster.head import attend
from rungs.records import finished

HEAD_LEASE = contextlib.ExitStack()
atexit.register(HEAD_LEASE.close)


def begin_as_head():
    outputs = [file for job in workflow.dag.needrun_jobs() for file in map(str, job.output)]
    try:
        finished.plan(
            outputs, recorded=lambda file: workflow.persistence.metadata(file) is not None
        )
        attend(
            HEAD_LEASE,
            expected=lambda: sum(not job.is_local for job in set(workflow.scheduler.running)),
            say=logger.info,
        )
    except UserError as error:
        raise WorkflowError(str(error))
