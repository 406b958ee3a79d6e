"""What the terminal shows of a running workflow. The log file of Snakemake keeps everything."""

import logging

from rungs.records.events import DRY_RUN, DRY_RUN_FIELDS, EventLog
from rungs.watching.ends import FailureInShort
from snakemake.logging import logger
from snakemake_interface_executor_plugins.settings import ExecMode


class OneLineAJob(logging.Filter):
    """Of a job that went well, pass on how many are done: its own line says what it produced."""

    SILENT = {"workflow_started", "job_info", "group_info", "job_started", "job_finished"}

    def filter(self, record):
        if workflow.dryrun:
            return True
        chatter = record.getMessage().startswith("Select jobs to execute")
        return not chatter and getattr(record, "event", None) not in self.SILENT


if CONFIG.archive and not (ARCHIVED or UNLIKE_ARCHIVED):
    raise WorkflowError(
        f"archive: {CONFIG.archive} has a file of no configured run, so that all would be trained;"
        " name the folder that `python -m rungs archive` wrote, or leave `archive` out"
    )

if CONFIG.archive and workflow.exec_mode == ExecMode.DEFAULT:
    unlike = f"; {len(UNLIKE_ARCHIVED)} of other settings are trained" if UNLIKE_ARCHIVED else ""
    logger.info(f"{len(ARCHIVED)} configured runs are in the archive {CONFIG.archive}{unlike}")

if workflow.exec_mode == ExecMode.DEFAULT:
    if unused := CONFIG.unused_variants():
        logger.info(
            f"In no experiment, so that nothing is made of them: variants.{', '.join(unused)} "
            f"(joins adds one to a list of {', '.join(EXPERIMENTS)})"
        )

for handler in logger.handlers:
    # Neither the log file nor the queue of a logger plugin.
    if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
        handler.addFilter(OneLineAJob())
        handler.setFormatter(FailureInShort(handler.formatter))

if DRY_RUN in os.environ:
    logger.addHandler(EventLog(Path(os.environ[DRY_RUN]), DRY_RUN_FIELDS))
