"""Stage ``steps-table``: the validation loss at several steps, beside what was published."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from rungs.published.quantity import Cell
from rungs.tables.intervals import Sample, estimate
from rungs.tables.observations import loss_at
from rungs.tables.published import published_value
from rungs.tables.samples import Samples, diverged, read_observations, samples
from rungs.tables.settings import ExperimentSettings
from rungs.tables.writing import write_csv

COLUMNS = [
    *("variant", "label", "step", "seeds", "diverged"),
    *(f"validation_loss{end}" for end in ("", "_low", "_high", "_published")),
    *("reference", "ratio", "ratio_low", "ratio_high"),
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
    table = steps_table(measured, settings, experiment)
    write_csv(table, output, float_format="%.6g")
    return f"{len(table)} rows"


def steps_table(measured: Samples, settings: ExperimentSettings, experiment: str) -> pd.DataFrame:
    """Return one row per variant and step, in the settings' order, in nats per token.

    A ratio is the variant's loss over the reference's, over the seeds that both have.
    """
    rows = []
    for row in settings.rows:
        reference = settings.comparisons.get(row.variant)
        for step in settings.steps:
            losses = _at(measured, settings, row.variant, step)
            found: dict[str, Any] = {
                "variant": row.variant,
                "label": row.label,
                "step": step,
                "seeds": len(losses),
                "diverged": diverged(measured, row.variant),
                **estimate(losses.values()).columns("validation_loss"),
                "validation_loss_published": _published(settings, experiment, row.variant, step),
                "reference": reference,
            }
            if reference is not None:
                baseline = _at(measured, settings, reference, step)
                ratios = [losses[seed] / baseline[seed] for seed in losses if seed in baseline]
                found |= estimate(ratios).columns("ratio")
            rows.append(found)
    numbers = [c for c in COLUMNS if c.startswith(("validation_loss", "ratio"))]
    whole = dict.fromkeys(["step", "seeds"], "Int64")
    return pd.DataFrame(rows, columns=COLUMNS).astype(whole | dict.fromkeys(numbers, float))


def _at(measured: Samples, settings: ExperimentSettings, variant: str, step: int) -> Sample:
    return measured.get((variant, _trained_length(settings, variant), loss_at(step)), {})


def _published(
    settings: ExperimentSettings, experiment: str, variant: str, step: int
) -> float | None:
    row: dict[str, int | str] = {
        "variant": variant,
        "context_length": _trained_length(settings, variant),
    }
    return published_value(Cell(table=experiment, row=row, column=loss_at(step)), settings)


def _trained_length(settings: ExperimentSettings, variant: str) -> int:
    budgets = {row.variant: row.budget for row in settings.rows}
    return (budgets[variant] or settings.budget).context_length
