"""Stage ``all-observations``: the observations of every experiment in one table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd

from rungs.errors import UserError
from rungs.tables.samples import OBSERVATION_COLUMNS, OBSERVATION_KEY, read_observations
from rungs.tables.writing import write_csv


def run(
    *,
    observations: Annotated[Sequence[Path], "one file an experiment, named after it, in any order"],
    output: Annotated[Path, "CSV"],
) -> str:
    """Write the experiments' observations under one another, with a column ``experiment``.

    Raises:
        UserError: a file is missing or malformed, or two are named alike.
    """
    experiments: dict[str, pd.DataFrame] = {}
    for path in observations:
        if path.stem in experiments:
            raise UserError(f"{path}: a file for {path.stem} is given already; give it once")
        experiments[path.stem] = read_observations(path)
    table = pd.concat(
        [table.assign(experiment=name) for name, table in experiments.items()], ignore_index=True
    )
    table = table.sort_values(
        ["experiment", *OBSERVATION_KEY], ignore_index=True, na_position="first"
    )
    write_csv(table[["experiment", *OBSERVATION_COLUMNS]], output)
    return f"{len(table)} observations of {len(experiments)} experiments"
