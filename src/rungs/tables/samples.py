"""Read what runs measured from the tidy table, and hold it by what names a row."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.tables.columns import WORDS
from rungs.tables.intervals import Sample
from rungs.tables.reading import read_table

Keys = Mapping[str, int | str]
"""Columns and their values: what a number is of."""

TRAINED = ["corpus", "budget", "variant"]
METRIC_KEYS = ["context_length", "step", "block", "adjective"]
"""What a metric is of, beside its run; empty where it is of no such thing."""
OBSERVATION_KEY = [*TRAINED, "seed", *METRIC_KEYS, "metric"]
OBSERVATION_COLUMNS = [*OBSERVATION_KEY, "value"]

DIVERGED = "diverged_at_step"
"""The metric of a run that diverged: the step. It has no other but ``parameters``."""


class Samples:
    """What one experiment measured, seed by seed.

    A variant of which a seed diverged has measured nothing but that: a mean over the others would
    be of those that went well.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[frozenset[tuple[str, int | str]], str], dict[int, float]] = {}

    def add(self, row: Keys, metric: str, seed: int, value: float) -> bool:
        """Take a number; return False where there is one of this row, metric and seed already."""
        sample = self._found.setdefault((frozenset(row.items()), metric), {})
        new = seed not in sample
        sample.setdefault(seed, value)
        return new

    def of(self, row: Keys, metric: str) -> Sample:
        """Return the metric of a row: its variant, and the keys that the metric has."""
        if metric not in (DIVERGED, "parameters") and self.diverged(row["variant"]):
            return {}
        return self._found.get((frozenset(row.items()), metric), {})

    def diverged(self, variant: int | str) -> str:
        """Return which seeds of a variant diverged, ``seed 1 at step 212``; empty if none did."""
        steps = self.of({"variant": variant}, DIVERGED)
        return ", ".join(f"seed {seed} at step {step:.0f}" for seed, step in sorted(steps.items()))


def read_observations(path: Path) -> pd.DataFrame:
    """Return observations with whole-number keys, missing where a metric has no such key.

    Raises:
        UserError: the file is missing or not such a table.
    """
    needed = [column for column in OBSERVATION_COLUMNS if column not in METRIC_KEYS]
    observations = read_table(path, needed).reindex(columns=OBSERVATION_COLUMNS)
    whole = [name for name in OBSERVATION_KEY if name not in WORDS]
    try:
        return observations.astype(dict.fromkeys(whole, "Int64") | {"value": float})
    except (TypeError, ValueError) as error:
        raise UserError(f"{path}: {error}; delete it and run again") from error


def samples(observations: pd.DataFrame, source: Path) -> Samples:
    """Return what one experiment measured, whatever the order of the rows.

    Raises:
        UserError: one run is listed twice, or a variant's rows are of several corpora or budgets.
    """
    trained = observations[TRAINED].drop_duplicates()
    for variant in trained["variant"][trained["variant"].duplicated()]:
        raise UserError(
            f"{source}: mixes several corpora or budgets of {variant}; collect one experiment"
        )
    found = Samples()
    for row in observations.to_dict("records"):
        variant, metric, seed = row["variant"], row["metric"], row["seed"]
        keys = {
            key: row[key] if key in WORDS else int(row[key])
            for key in METRIC_KEYS
            if not pd.isna(row[key]) and row[key] != ""
        }
        if not found.add({"variant": variant, **keys}, metric, seed, row["value"]):
            raise UserError(
                f"{source}: {metric} of {variant}, seed {seed}, is listed twice; "
                "collect each run once"
            )
    return found
