"""Stage ``referents-table``: who names the referent, and what its attention looks at."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from rungs.corpus.referents import ROLES, TARGETS
from rungs.published.quantity import Cell
from rungs.tables.intervals import estimate
from rungs.tables.published import published_value
from rungs.tables.samples import Samples, diverged, read_observations, samples
from rungs.tables.settings import ExperimentSettings, Row
from rungs.tables.writing import write_csv

METRICS = ("accuracy", "wrong_noun", "anything_else", "training_accuracy")
_SUFFIXES = ("", "_low", "_high", "_published")
COLUMNS = [
    *("variant", "label", "version", "seeds", "diverged", "parameters", "chance"),
    *(f"{metric}{suffix}" for metric in METRICS for suffix in _SUFFIXES),
]
ATTENTION_COLUMNS = [
    *("variant", "label", "version", "seeds", "diverged", "block", "adjective", "role"),
    *(f"{target}_weight{suffix}" for target in TARGETS for suffix in ("", "_low", "_high")),
]


def run(
    *,
    observations: Annotated[Path, "of this experiment"],
    experiment: Annotated[str, "its name"],
    settings: ExperimentSettings,
    output: Annotated[Path, "answers, CSV, in percent"],
    attention: Annotated[Path, "attention weights by adjective, CSV"],
) -> str:
    """Write both tables of one experiment.

    Raises:
        UserError: the observations or the settings cannot be read.
    """
    measured = samples(read_observations(observations), observations)
    answers = answer_table(measured, settings, experiment)
    write_csv(answers, output, float_format="%.6g")
    write_csv(attention_table(measured, settings), attention, float_format="%.6g")
    shown = ", ".join(f"{row.variant} {row.accuracy:.1f} %" for row in answers.itertuples())
    return f"{output}: {shown}"


def answer_table(measured: Samples, settings: ExperimentSettings, experiment: str) -> pd.DataFrame:
    """Return one row per variant, in the settings' order, in percent of the held-out sentences."""
    rows = []
    for row in settings.rows:
        accuracy = measured.get((row.variant, None, "accuracy"), {})
        found: dict[str, Any] = {
            **_described(settings, row),
            "seeds": len(accuracy),
            "diverged": diverged(measured, row.variant),
            "parameters": _common(measured, row.variant, "parameters"),
            "chance": _common(measured, row.variant, "chance"),
        }
        for metric in METRICS:
            values = measured.get((row.variant, None, metric), {}).values()
            found |= estimate(values).columns(metric)
            cell = Cell(table=experiment, row={"variant": row.variant}, column=metric)
            found[f"{metric}_published"] = published_value(cell, settings)
        rows.append(found)
    numbers = [c for c in COLUMNS if c.startswith((*METRICS, "chance"))]
    whole = dict.fromkeys(["seeds", "parameters"], "Int64")
    return pd.DataFrame(rows, columns=COLUMNS).astype(whole | dict.fromkeys(numbers, float))


def attention_table(measured: Samples, settings: ExperimentSettings) -> pd.DataFrame:
    """Return one row per variant, block and adjective, for the variants that have attention."""
    rows = []
    for row in settings.rows:
        blocks = row.architecture.depth if row.architecture.mixer == "attention" else 0
        for block in range(1, blocks + 1):
            for adjective, role in ROLES.items():
                weights = {
                    target: estimate(
                        measured.get(
                            (row.variant, None, f"block_{block}_{adjective}_{target}"), {}
                        ).values()
                    )
                    for target in TARGETS
                }
                rows.append(
                    {
                        **_described(settings, row),
                        "seeds": weights["adjective"].seeds,
                        "diverged": diverged(measured, row.variant),
                        "block": block,
                        "adjective": adjective,
                        "role": role,
                    }
                )
                for target, found in weights.items():
                    rows[-1] |= found.columns(f"{target}_weight")
    return pd.DataFrame(rows, columns=ATTENTION_COLUMNS)


def _described(settings: ExperimentSettings, row: Row) -> dict[str, Any]:
    corpus = row.corpus or settings.corpus
    return {"variant": row.variant, "label": row.label, "version": corpus.version}


def _common(measured: Samples, variant: str, metric: str) -> float | None:
    """Return what is the same for every seed."""
    return next(iter(measured.get((variant, None, metric), {}).values()), None)
