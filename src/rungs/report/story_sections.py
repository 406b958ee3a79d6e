"""The sections on the GPT chapter: stories in bits per byte, losses by step, what a model sees."""

from pathlib import Path

from rungs.config import Config
from rungs.report.catalogue import figures_in
from rungs.report.probe_views import cache_view, contexts_view, untrained_attention_view
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

CACHE_COLUMNS = (
    *("variant", "precision", "seeds"),
    *(metric + end for metric in ("difference", "rounding") for end in ("", "_low", "_high")),
)
ATTENTION_COLUMNS = (
    *("variant", "rows", "position", "seeds"),
    *(
        m + end
        for m in ("smallest", "largest", "effective_tokens")
        for end in ("", "_low", "_high")
    ),
)
CONTEXT_COLUMNS = ("variant", "predictions", "mean_context", "largest_context")


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


def language_model_section(config: Config, results: Path) -> Section:
    """Return the section on what the chapter's models see, before any training.

    Raises:
        UserError: a table that exists cannot be read.
    """
    models = config.probes.language_models
    budget = config.budgets[models.budget]
    labels = {variant: config.label(variant) for variant in models.variants}
    section = Section(
        "what-a-position-sees",
        "What a position sees",
        ["mask", "untrained_attention", "contexts", "cached_generation"],
    )
    section.lead = [
        f"A step of {budget.batch_size:,} windows of {budget.context_length:,} tokens predicts at "
        "every position. Which tokens a prediction sees is found by exchanging them one by one. "
        "What a causal position has computed never changes, so that a cache may keep it: reading "
        "token by token gives the logits of the whole text, up to rounding."
    ]
    section.figures = figures_in(config, section.anchor)
    tables = {
        "contexts": (CONTEXT_COLUMNS, contexts_view, "The count of contexts"),
        "untrained_attention": (
            ATTENTION_COLUMNS, untrained_attention_view, "The untrained attention"
        ),
        "cached_generation": (CACHE_COLUMNS, cache_view, "The comparison with a cache"),
    }  # fmt: skip
    for probe, (columns, view, what) in tables.items():
        target = f"{probe}.csv"
        if (results / target).is_file():
            section.tables.append(view(read_shown(results / target, columns), labels, target))
        else:
            section.missing.append((what, target))
    return section
