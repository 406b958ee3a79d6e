"""Read what runs measured from the tidy table."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.tables.intervals import Sample
from rungs.tables.reading import read_table

OBSERVATION_KEY = ["corpus", "budget", "variant", "seed", "context_length", "metric"]
OBSERVATION_COLUMNS = [*OBSERVATION_KEY, "value"]

Samples = dict[tuple[str, int | None, str], Sample]
"""By variant, context length (none for what does not depend on one) and metric."""
DIVERGED = "diverged_at_step"
"""The metric of a run that diverged: the step. It has no other but ``parameters``."""


def read_observations(path: Path) -> pd.DataFrame:
    """Return observations with whole-number context lengths, missing where there is none.

    Raises:
        UserError: the file is missing or not such a table.
    """
    observations = read_table(path, OBSERVATION_COLUMNS)
    try:
        return observations.astype({"context_length": "Int64", "seed": "Int64", "value": float})
    except (TypeError, ValueError) as error:
        raise UserError(f"{path}: {error}; delete it and run again") from error


def samples(observations: pd.DataFrame, source: Path) -> Samples:
    """Return what one experiment measured, seed by seed, whatever the order of the rows.

    A variant of which a seed diverged has measured nothing but that: a mean over the others would
    be of those that went well.

    Raises:
        UserError: one run is listed twice, or a variant's rows are of several corpora or budgets.
    """
    trained = observations[["corpus", "budget", "variant"]].drop_duplicates()
    for variant in trained["variant"][trained["variant"].duplicated()]:
        raise UserError(
            f"{source}: mixes several corpora or budgets of {variant}; collect one experiment"
        )
    found: dict[tuple[str, int | None, str], dict[int, float]] = {}
    for row in observations.sort_values("seed", kind="stable").to_dict("records"):
        variant, metric, seed = row["variant"], row["metric"], row["seed"]
        length = None if pd.isna(row["context_length"]) else int(row["context_length"])
        sample = found.setdefault((variant, length, metric), {})
        if seed in sample:
            raise UserError(
                f"{source}: {metric} of {variant}, seed {seed}, is listed twice; "
                "collect each run once"
            )
        sample[seed] = row["value"]
    return without_survivors(found)


def without_survivors(found: Mapping[tuple[str, int | None, str], Sample]) -> Samples:
    """Return the samples without those of variants of which a seed diverged."""
    ended = {variant for variant, _, metric in found if metric == DIVERGED}
    return {
        key: sample
        for key, sample in found.items()
        if key[0] not in ended or key[2] in (DIVERGED, "parameters")
    }


def diverged(measured: Samples, variant: str) -> str:
    """Return which seeds of a variant diverged, ``seed 1 at step 212``; empty if none did."""
    steps = measured.get((variant, None, DIVERGED), {})
    return ", ".join(f"seed {seed} at step {step:.0f}" for seed, step in sorted(steps.items()))
