"""What the terminal shows of a running workflow. The log file of Snakemake keeps everything."""

import logging

import snakemake.logging
from rungs.watching.ends import ends_of_logs
from snakemake.logging import logger
from snakemake_interface_executor_plugins.settings import ExecMode

# Snakemake shows the whole log of a failed job.
snakemake.logging.show_logs = ends_of_logs


class OneLineAJob(logging.Filter):
    """Of a job that went well, pass on how many are done: its own line says what it produced."""

    SILENT = {"workflow_started", "job_info", "group_info", "job_started", "job_finished"}

    def filter(self, record):
        if workflow.dryrun:
            return True
        chatter = record.getMessage().startswith("Select jobs to execute")
        return not chatter and getattr(record, "event", None) not in self.SILENT


if CONFIG.archive and workflow.exec_mode == ExecMode.DEFAULT:
    unlike = f"; {len(UNLIKE_ARCHIVED)} of other settings are trained" if UNLIKE_ARCHIVED else ""
    logger.info(f"{len(ARCHIVED)} configured runs are in the archive {CONFIG.archive}{unlike}")

if workflow.exec_mode == ExecMode.DEFAULT:
    for variant in CONFIG.unused_variants():
        logger.info(
            f"variants.{variant}: is in no experiment, so that nothing is made of it; add joins, "
            f"a list of {', '.join(EXPERIMENTS)}"
        )

for handler in logger.handlers:
    if not isinstance(handler, logging.FileHandler):
        handler.addFilter(OneLineAJob())
