"""What workflow/rules/internals.smk relies on is still so in the Snakemake that is installed."""

import inspect
from pathlib import Path

from snakemake.api import SnakemakeApi  # noqa: F401, first, or the others import one another
from snakemake.dag import DAG
from snakemake.jobs import GroupJob
from snakemake.persistence import PersistenceBase
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake_executor_plugin_slurm import Executor
from snakemake_interface_executor_plugins.executors.base import AbstractExecutor
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from tests.workflow.workflow import ROOT


def test_a_scheduler_without_a_rate_limiter_starts_no_timers() -> None:
    source = inspect.getsource(JobScheduler)
    assert "if self.job_rate_limiter is not None:" in source, "timers are bound to the limiter"
    assert "if self.job_rate_limiter is None:" in source, "jobs are started without one"
    assert "self._executor" in source
    assert "self.running" in source


def test_a_group_s_reason_is_still_dropped() -> None:
    assert "msg" in inspect.signature(AbstractExecutor.report_job_error).parameters
    source = inspect.getsource(GroupJob.log_error)
    assert source.count("msg") == 1, "upstream says it now: say_why_groups_fail can go"


def test_a_cluster_job_s_command_is_made_of_what_is_replaced() -> None:
    source = inspect.getsource(RealExecutor)
    assert "self.get_job_exec_prefix(job)" in source
    assert "self.additional_general_args()" in source
    assert "slurm-jobstep" in inspect.getsource(Executor.additional_general_args)
    assert "array_jobs" in inspect.getsource(Executor)


def test_the_planned_jobs_are_still_listed() -> None:
    assert inspect.isfunction(DAG.needrun_jobs)
    assert isinstance(DAG.jobs, property)
    assert inspect.isfunction(PersistenceBase.has_metadata)


def test_internals_are_used_in_one_file() -> None:
    private = ("workflow.dag.", "workflow.scheduler.", "workflow.persistence")
    rules = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
    users = {path.name for path in rules if any(word in path.read_text() for word in private)}
    assert users == {Path("internals.smk").name}
