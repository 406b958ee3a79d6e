"""The sections on the GPT chapter: stories in bits per byte, losses by step, what runs write."""

from pathlib import Path

from rungs.config import Config
from rungs.report.section import Section
from rungs.report.story_views import (
    POSITION_COLUMNS,
    SAMPLE_COLUMNS,
    STEP_COLUMNS,
    positions_view,
    samples_view,
    steps_view,
)
from rungs.tables.reading import read_shown


def complete_stories(section: Section, results: Path) -> None:
    """Add where in a window the gain lies.

    Raises:
        UserError: the table exists and cannot be read.
    """
    target = "loss_by_position.csv"
    section.sources.append("loss_by_position")
    if (results / target).is_file():
        section.tables.append(
            positions_view(read_shown(results / target, POSITION_COLUMNS), target)
        )
    else:
        section.missing.append(("The loss by position", target))


def complete_steps(results: Path, name: str, section: Section) -> Section:
    """Complete the section of an experiment about losses during training.

    Raises:
        UserError: the table exists and cannot be read.
    """
    section.lead.append(
        "A model without the causal mask reads, at every position, the token that it has to "
        "predict; when it writes, there is no such token. Its loss says nothing of what it writes."
    )
    target = f"{name}.csv"
    if (results / target).is_file():
        section.tables.append(steps_view(read_shown(results / target, STEP_COLUMNS), target))
    else:
        section.missing.append(("This experiment", target))
    return section


def add_samples(config: Config, results: Path, name: str, section: Section) -> None:
    """Add what the runs of an experiment wrote, if they were asked to.

    Raises:
        UserError: the table exists and cannot be read.
    """
    target = f"{name}_samples.csv"
    if config.experiments[name].continues is None:
        return
    if (results / target).is_file():
        section.tables.append(samples_view(read_shown(results / target, SAMPLE_COLUMNS), target))
    elif section.tables:
        section.missing.append(("What its runs write", target))
