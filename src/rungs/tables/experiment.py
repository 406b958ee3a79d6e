"""Stage ``table``: an experiment summarised over its seeds, beside what was published."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from rungs.published.load import published_differences
from rungs.published.quantity import Cell
from rungs.tables.intervals import estimate, paired_difference
from rungs.tables.published import published_value, trained_as_published
from rungs.tables.samples import Samples, diverged, read_observations, samples
from rungs.tables.settings import ExperimentSettings, Row
from rungs.tables.writing import write_csv

METRICS = ("perplexity", "training_perplexity")
SHARPNESS = ("score_std_at_start", "score_std", "attention_entropy", "hard_share")
"""Metrics of runs whose attention was observed; the table has them where there are such runs."""
_SUFFIXES = ("", "_low", "_high", "_published")


def columns(metrics: Sequence[str]) -> list[str]:
    """Return the columns of a table with these metrics."""
    return [
        *("variant", "label", "context_length", "seeds", "diverged", "parameters"),
        *(f"{metric}{suffix}" for metric in metrics for suffix in _SUFFIXES),
        "reference",
        *(f"improvement{suffix}" for suffix in _SUFFIXES),
    ]


def run(
    *,
    observations: Annotated[Path, "of this experiment"],
    experiment: Annotated[str, "its name"],
    settings: ExperimentSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write the table of one experiment.

    Raises:
        UserError: the observations or the settings cannot be read.
    """
    measured = samples(read_observations(observations), observations)
    table = experiment_table(measured, settings, experiment)
    write_csv(table, output, float_format="%.6g")
    best = table.sort_values(settings.metric, na_position="last").iloc[0]
    shown = (
        f"{best['label']} is best, {best[settings.metric]:.4g}" if best["seeds"] else "no number"
    )
    return f"{len(table)} rows; {shown}"


def experiment_table(
    measured: Samples, settings: ExperimentSettings, experiment: str
) -> pd.DataFrame:
    """Return one row per variant and context length, in the settings' order.

    A row without runs, or with one that diverged, has no seeds and no numbers. An improvement is
    the reference's metric, the one that the experiment is about, minus the variant's, over the
    seeds that both have.
    """
    observed = any((row.budget or settings.budget).observe_attention for row in settings.rows)
    metrics = [*dict.fromkeys((settings.metric, *METRICS)), *(SHARPNESS if observed else ())]
    rows = [
        _row(measured, settings, experiment, row, length, metrics)
        for row in settings.rows
        for length in settings.context_lengths
    ]
    table = pd.DataFrame(rows, columns=columns(metrics))
    whole = dict.fromkeys(["context_length", "seeds", "parameters"], "Int64")
    numbers = [c for c in table.columns if c.startswith((*metrics, "improvement"))]
    return table.astype(whole | dict.fromkeys(numbers, float))


def _row(
    measured: Samples,
    settings: ExperimentSettings,
    experiment: str,
    row: Row,
    length: int,
    metrics: Sequence[str],
) -> dict[str, Any]:
    variant, reference = row.variant, settings.comparisons.get(row.variant)
    compared = measured.get((variant, length, settings.metric), {})
    parameters = set(measured.get((variant, None, "parameters"), {}).values())
    found: dict[str, Any] = {
        "variant": variant,
        "label": row.label,
        "context_length": length,
        "seeds": len(compared),
        "diverged": diverged(measured, variant),
        "parameters": int(max(parameters)) if parameters else None,
        "reference": reference,
    }
    for metric in metrics:
        found |= estimate(measured.get((variant, length, metric), {}).values()).columns(metric)
        found[f"{metric}_published"] = published_value(
            _cell(experiment, variant, length, metric), settings
        )
    if reference is not None:
        baseline = measured.get((reference, length, settings.metric), {})
        found |= estimate(paired_difference(baseline, compared).values()).columns("improvement")
        found["improvement_published"] = _published_improvement(
            settings, experiment, reference, variant, length
        )
    return found


def _published_improvement(
    settings: ExperimentSettings, experiment: str, reference: str, variant: str, length: int
) -> float | None:
    """Return the published improvement, negative where the reference was published as better."""
    ends = tuple(_cell(experiment, name, length, settings.metric) for name in (reference, variant))
    for cells, number in published_differences(experiment):
        known = cells in (ends, ends[::-1])
        if known and all(trained_as_published(cell, settings) for cell in cells):
            return number if cells == ends else -number
    return None


def _cell(experiment: str, variant: str, length: int, metric: str) -> Cell:
    row: dict[str, int | str] = {"variant": variant, "context_length": length}
    return Cell(table=experiment, row=row, column=metric)
