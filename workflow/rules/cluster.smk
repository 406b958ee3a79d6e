"""Before the first job and after the last, on this machine or as the head of a cluster."""

import atexit
import contextlib

from rungs.cluster.head import attend
from rungs.records import finished

HEAD = contextlib.ExitStack()
atexit.register(HEAD.close)


def submitted():
    """How many cluster jobs were submitted, and not heard of since."""
    return sum(not job.is_local for job in list(workflow.scheduler.running))


onstart:
    folder = shlex.quote(os.path.relpath(".", workflow.basedir))
    where = "" if folder == "." else f" --directory {folder}"
    print(f"What is running now: python -m rungs watch{where}", file=sys.stderr)
    if workflow.executor_plugin.name == "slurm":
        try:
            attend(HEAD, submitted, logger.info)
        except UserError as error:
            raise WorkflowError(str(error))


onsuccess:
    finished.forget()
