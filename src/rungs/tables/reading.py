"""Read the tables that the figures and the page are made from."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from rungs.errors import UserError


def read_table(path: Path, columns: Sequence[str], *, may_be_empty: bool = False) -> pd.DataFrame:
    """Return the CSV table at ``path``.

    Only an empty field is missing: a variant may well be called ``none`` or ``NA``.

    Args:
        path: a table of ``results/``.
        columns: the columns the caller reads.
        may_be_empty: whether a table without rows is accepted.

    Raises:
        UserError: the file cannot be read, is not a table, lacks a column, or has no rows.
    """
    try:
        table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not a table; delete it and run again") from error
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise UserError(f"{path}: has no column {', '.join(missing)}; delete it and run again")
    if table.empty and not may_be_empty:
        raise UserError(f"{path}: has no rows; delete it and run again")
    return table
