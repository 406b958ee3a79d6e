"""Read what runs measured from the tidy table."""

from pathlib import Path

import pandas as pd

from rungs.errors import UserError
from rungs.tables.intervals import Sample
from rungs.tables.reading import read_table

OBSERVATION_KEY = ["corpus", "budget", "variant", "seed", "context_length", "metric"]
OBSERVATION_COLUMNS = [*OBSERVATION_KEY, "value"]

Samples = dict[tuple[str, int | None, str], Sample]
"""By variant, context length (none for what does not depend on one) and metric."""


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
    return dict(found)
