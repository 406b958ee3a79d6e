"""What the terminal shows of a running workflow. The log file of Snakemake keeps everything."""

import logging

from snakemake.logging import logger


class OneLineAJob(logging.Filter):
    """Of a job that went well, pass on how many are done: its own line says what it produced."""

    SILENT = {"workflow_started", "job_info", "group_info", "job_started", "job_finished"}

    def filter(self, record):
        if workflow.dryrun:
            return True
        chatter = record.getMessage().startswith("Select jobs to execute")
        return not chatter and getattr(record, "event", None) not in self.SILENT


for handler in logger.handlers:
    if not isinstance(handler, logging.FileHandler):
        handler.addFilter(OneLineAJob())


onstart:
    if workflow.local_exec:
        # To limit how fast jobs are submitted, Snakemake starts a timer in every round of its
        # scheduler, and every timer starts another round: after a hundred jobs, a hundred rounds
        # a second, a whole core's work. Local jobs need no such limit.
        workflow.scheduler.job_rate_limiter = None
    folder = shlex.quote(os.path.relpath(".", workflow.basedir))
    where = "" if folder == "." else f" --directory {folder}"
    print(f"What is running now: python -m rungs watch{where}", file=sys.stderr)
