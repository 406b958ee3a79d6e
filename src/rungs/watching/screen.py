"""Draw a state, for a terminal of 40 columns or more, or as plain lines."""

from collections.abc import Mapping
from datetime import datetime

from rich import box
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rungs.archive.archived import address
from rungs.durations import duration
from rungs.reading import read_object
from rungs.records.events import Invocation, StartedJob
from rungs.tables.numbers import counted
from rungs.watching.configured import run_key
from rungs.watching.ends import last_words
from rungs.watching.state import State
from rungs.watching.training import Progress

MOST_ROWS = 16
"""Running jobs shown; a cluster may have hundreds."""
MOST_FAILURES = 5
SNAKEMAKES_LOGS = ".snakemake/log"
NAME_COLUMNS = (16, 60)
"""The least and the most that a job's name gets of the terminal."""
OTHER_COLUMNS = 58
"""What the numbers beside it need."""
NEEDED_COLUMNS = 24
"""What the step and the time left alone need, where there is no room for the others."""
WITHOUT_BAR, WIDEST_BAR = 34, 36
"""Columns of a stage's name and numbers, and of its bar."""

Published = Mapping[tuple[str, str, str], float]


def screen(state: State, published: Published, now: datetime, width: int) -> RenderableType:
    """Return the whole screen, for a terminal of so many columns."""
    if state.invocation is None:
        return Text(headline(state, now))
    parts: list[RenderableType] = [Text(headline(state, now), style="bold"), _stages(state, width)]
    if state.running:
        parts.append(_running(state, published, now, width))
    parts += [Text(line, style="red") for line in failures(state.invocation)]
    parts += [Text(line, style="yellow") for line in divergences(state.invocation)]
    if advice := _advice(state):
        parts.append(Text(advice))
    return Group(*parts)


def headline(state: State, now: datetime) -> str:
    """Return the state in one line."""
    invocation = state.invocation
    if state.status == "starting":
        return "Starting: Snakemake finds out what is to be run"
    if invocation is None:
        return "Nothing has been run in this folder; --directory names where results/ is"
    done, total = invocation.steps
    jobs = f"{done:,} of {total:,} jobs done"
    left = f", about {duration(state.seconds_left)} left" if state.seconds_left else ""
    failed = f", {len(invocation.failures)} failed" if invocation.failures else ""
    silent = duration(state.silent_seconds)
    match state.status:
        case "running":
            elapsed = duration(max(0.0, (now - invocation.start).total_seconds()))
            cores = counted(invocation.cores, "core")
            return f"Running for {elapsed} on {cores}: {jobs}{failed}{left}"
        case "elsewhere":
            return f"Running on {invocation.host}, last heard of {silent} ago: {jobs}{failed}{left}"
        case "dead":
            return f"Dead: Snakemake is gone, last heard of {silent} ago: {jobs}{failed}"
        case "stopped":
            return f"Stopped {silent} ago: {jobs}{failed}"
        case _:
            return f"Finished {silent} ago: {jobs}"


def failures(invocation: Invocation) -> list[str]:
    """Return a line for each of the last failures: the rule, why, and the log that says more."""
    lines = []
    for job in invocation.failures:
        why = last_words(invocation.folder / job.log) if job.log else ""
        reason = f": {why};" if why else ","
        lines.append(f"failed: {job.rule}{reason} see {job.log or SNAKEMAKES_LOGS}")
    more = len(lines) - MOST_FAILURES
    return [*lines[-MOST_FAILURES:], *([f"and {more} more"] if more > 0 else [])]


def divergences(invocation: Invocation) -> list[str]:
    """Return a line for each run that ended because it diverged, which is no failure."""
    lines = []
    for job in invocation.jobs.values():
        if job.run and job.end:
            path = invocation.folder / "results/runs" / address(job.run) / "run.json"
            step = read_object(path).get("diverged_at_step") if path.exists() else None
            lines += [f"ended: {_name(job)} diverged at step {step}"] if step else []
    return lines[-MOST_FAILURES:]


def line(state: State, published: Published, now: datetime) -> str:
    """Return the state and its running jobs in one line, for a log."""
    rows = [", ".join(filter(None, _row(*job, published, now))) for job in state.running]
    return "; ".join([f"{now:%H:%M:%S} {headline(state, now)}", *rows[:MOST_ROWS]])


def _stages(state: State, width: int) -> Table:
    table = Table.grid(padding=(0, 2), expand=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    room = min(max(width - WITHOUT_BAR, 1), WIDEST_BAR)
    for stage, (done, total) in state.stages.items():
        bar = ProgressBar(
            total=total, completed=done, width=room, complete_style="cyan", finished_style="green"
        )
        table.add_row(stage, f"{done:,}/{total:,}", bar)
    return table


def _running(state: State, published: Published, now: datetime, width: int) -> Table:
    live = state.status in ("running", "elsewhere")
    wide = width >= NAME_COLUMNS[0] + OTHER_COLUMNS
    others = OTHER_COLUMNS if wide else NEEDED_COLUMNS
    shown = slice(None) if wide else slice(None, None, 4)  # the first and the last
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column(
        "running now" if live else "interrupted",
        width=min(max(width - others, NAME_COLUMNS[0]), NAME_COLUMNS[1]),
        no_wrap=True,
        overflow="ellipsis",
    )
    for heading in ("step", "loss", "published", "tokens/s", "left")[shown]:
        table.add_column(heading, justify="right", no_wrap=True)
    for job, progress in state.running[:MOST_ROWS]:
        known = published.get(run_key(job.run)) if job.run else None
        elapsed = duration(job.seconds(now))
        if progress is None:
            cells = [f"for {elapsed}", "", _loss(known), "", ""]
        else:
            cells = [
                f"{progress.step:,}/{progress.steps:,}",
                _loss(progress.loss),
                _loss(known),
                f"{progress.tokens_per_second:,}",
                duration(progress.seconds_left),
            ]
        table.add_row(_name(job), *cells[shown])
    if len(state.running) > MOST_ROWS:
        table.add_row(f"and {len(state.running) - MOST_ROWS} more")
    return table


def _row(
    job: StartedJob, progress: Progress | None, published: Published, now: datetime
) -> list[str]:
    """Return the words about one running job."""
    if progress is None:
        return [_name(job), f"{duration(job.seconds(now))} so far"]
    known = published.get(run_key(job.run)) if job.run else None
    return [
        _name(job),
        f"step {progress.step} of {progress.steps}",
        f"loss {progress.loss:.3f}" + (f" (published {known:.3f})" if known else ""),
        f"{progress.tokens_per_second} tokens/s",
        f"{duration(progress.seconds_left)} left",
    ]


def _name(job: StartedJob) -> str:
    return f"{job.run.variant} seed {job.run.seed}, {job.run.budget}" if job.run else job.message


def _loss(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _advice(state: State) -> str:
    match state.status:
        case "dead":
            return (
                "Unlock with the command it was started with and --unlock, then run that command "
                "again: finished jobs are kept, training continues from its checkpoints"
            )
        case "stopped":
            return "The same command continues: finished jobs are kept"
        case _:
            return ""
