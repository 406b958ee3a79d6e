"""Stage ``steps-table``: the validation loss at several steps, beside what was published."""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from rungs.published.load import published_cells
from rungs.tables.comparable import experiment_mismatch
from rungs.tables.intervals import Sample, estimate
from rungs.tables.observations import loss_at
from rungs.tables.samples import Samples, read_observations, samples, write_csv
from rungs.tables.settings import ExperimentSettings, parse_settings

COLUMNS = [
    *("variant", "label", "step", "seeds"),
    *(f"validation_loss{end}" for end in ("", "_low", "_high", "_published")),
    *("reference", "ratio", "ratio_low", "ratio_high"),
]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--observations", type=Path, required=True, help="of this experiment")
    parser.add_argument("--experiment", required=True, help="its name")
    parser.add_argument("--settings", required=True, help="JSON of ExperimentSettings")
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write the table of one experiment.

    Raises:
        UserError: the observations or the settings cannot be read.
    """
    settings = parse_settings(ExperimentSettings, arguments.settings)
    measured = samples(read_observations(arguments.observations), arguments.observations)
    table = steps_table(measured, settings, arguments.experiment)
    write_csv(table, arguments.output, float_format="%.6g")
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
    rows = {row.variant: row for row in settings.rows}
    budget = rows[variant].budget or settings.budget
    return measured.get((variant, budget.context_length, loss_at(step)), {})


def _published(
    settings: ExperimentSettings, experiment: str, variant: str, step: int
) -> float | None:
    """Return the published loss, if the row is trained as it was published."""
    for cell, number, section in published_cells(experiment):
        if (
            cell.row.get("variant") == variant
            and cell.column == loss_at(step)
            and variant in section.setting.models
            and experiment_mismatch(section.setting, variant, settings) is None
        ):
            return number
    return None
