"""Write tables so that reading gives back what was written."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from rungs.files import replacing
from rungs.tables.columns import UNBOUNDED, WORDS


def write_csv(table: pd.DataFrame, path: Path, float_format: str | None = None) -> None:
    """Write the table as CSV; without a format, floats keep every digit they need.

    Raises:
        ValueError: a column holds words that is not known to, or an infinite number.
        UserError: the file cannot be written.
    """
    for name in table.columns:
        if name not in WORDS:
            _refuse_words_and_infinity(table[name], path)
    # Python's writer does not quote a lone carriage return, at which readers end a row.
    words = [table[name] for name in table.columns if name in WORDS]
    risky = any("\r" in cell for column in words for cell in column if isinstance(cell, str))
    with replacing(path) as temporary:
        table.to_csv(
            temporary,
            index=False,
            float_format=float_format,
            lineterminator="\n",
            quoting=csv.QUOTE_NONNUMERIC if risky else csv.QUOTE_MINIMAL,
        )


def _refuse_words_and_infinity(column: pd.Series, path: Path) -> None:
    try:
        numbers = pd.to_numeric(column).astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{path}: {column.name} holds words; add it to rungs.tables.columns.WORDS"
        ) from error
    if np.isinf(numbers).any() and column.name not in UNBOUNDED:
        raise ValueError(f"{path}: {column.name} holds an infinite number")
