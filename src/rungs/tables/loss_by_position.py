"""Stage ``loss-by-position``: where in a window models differ, position by position."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from rungs.files import read_json
from rungs.reading import reading
from rungs.tables.intervals import estimate, paired_difference
from rungs.tables.observations import run_address
from rungs.tables.samples import DIVERGED, Samples, diverged, without_survivors
from rungs.tables.settings import ExperimentSettings
from rungs.tables.writing import write_csv

COLUMNS = [
    *("variant", "label", "position", "seeds", "diverged", "loss", "loss_low", "loss_high"),
    *("reference", "improvement", "improvement_low", "improvement_high"),
]


def run(
    *,
    evaluations: Annotated[Sequence[Path], "JSON"],
    settings: ExperimentSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write one row per variant and position.

    Raises:
        UserError: an evaluation or the settings cannot be read.
    """
    losses = read_losses(evaluations, settings.context_lengths[0])
    table = position_table(losses, settings)
    write_csv(table, output, float_format="%.6g")
    return f"{output}: {len(table)} rows"


def read_losses(paths: Sequence[Path], context_length: int) -> Samples:
    """Return the loss at each position, counted from 1: after so many tokens.

    Returns:
        Samples by variant, position and metric.

    Raises:
        UserError: an evaluation is missing, or not of this context length.
    """
    found: dict[tuple[str, int | None, str], dict[int, float]] = {}
    for path in paths:
        _, _, variant, seed = run_address(path)
        evaluation = read_json(path)
        with reading(path):
            if DIVERGED in evaluation:
                found.setdefault((variant, None, DIVERGED), {})[seed] = evaluation[DIVERGED]
                continue
            losses = evaluation["validation"][str(context_length)]["loss_by_position"]
            for position, loss in enumerate(losses, start=1):
                found.setdefault((variant, position, "loss"), {})[seed] = float(loss)
    return without_survivors(found)


def position_table(losses: Samples, settings: ExperimentSettings) -> pd.DataFrame:
    """Return losses in nats per token, and what each variant gains on its reference."""
    rows = []
    for row in settings.rows:
        reference = settings.comparisons.get(row.variant)
        for position in range(1, settings.context_lengths[0] + 1):
            sample = losses.get((row.variant, position, "loss"), {})
            found: dict[str, Any] = {
                "variant": row.variant,
                "label": row.label,
                "position": position,
                "seeds": len(sample),
                "diverged": diverged(losses, row.variant),
                **estimate(sample.values()).columns("loss"),
                "reference": reference,
            }
            if reference is not None:
                gains = paired_difference(losses.get((reference, position, "loss"), {}), sample)
                found |= estimate(gains.values()).columns("improvement")
            rows.append(found)
    numbers = [c for c in COLUMNS if c.startswith(("loss", "improvement"))]
    whole = dict.fromkeys(["position", "seeds"], "Int64")
    return pd.DataFrame(rows, columns=COLUMNS).astype(whole | dict.fromkeys(numbers, float))
