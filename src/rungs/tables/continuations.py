"""Stage ``continuations-table``: what every run of an experiment wrote, one row a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd

from rungs.files import read_json
from rungs.reading import reading
from rungs.tables.settings import ExperimentSettings
from rungs.tables.writing import write_csv

COLUMNS = ["variant", "label", "seed", "prompt", "text", "tokens", "distinct_tokens", "ended"]


def run(
    *,
    continuations: Annotated[Sequence[Path], "files at .../{variant}/seed{seed}.json"],
    settings: ExperimentSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write one row per run, in the settings' order.

    Raises:
        UserError: a continuation or the settings cannot be read.
    """
    labels = {row.variant: row.label for row in settings.rows}
    rows = []
    for path in continuations:
        variant, seed = path.parts[-2], int(path.stem.removeprefix("seed"))
        with reading(path):
            rows.append({"variant": variant, "label": labels[variant], "seed": seed,
                         **{key: read_json(path)[key] for key in COLUMNS[3:]}})  # fmt: skip
    order = list(labels)
    rows.sort(key=lambda row: (order.index(row["variant"]), row["seed"]))
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["ended"] = table["ended"].map({True: "yes", False: "no", None: ""})
    table = table.astype({"distinct_tokens": "Int64"})
    write_csv(table, output)
    return f"{output}: {len(table)} texts"
