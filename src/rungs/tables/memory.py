"""Stage ``memory-table``: the measured points beside the published cost, and their exponents."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from rungs.files import read_json
from rungs.published.load import published_cells
from rungs.reading import reading
from rungs.tables.configured import published_settings
from rungs.tables.writing import write_csv

COLUMNS = [
    "kernel",
    "tokens",
    "status",
    "milliseconds",
    "projection_milliseconds",
    "attention_matrix_mib",
    "counted_mib",
    "workspace_mib",
    "peak_mib",
    "peak_mib_published",
    "milliseconds_published",
    "peak_ratio",
    "milliseconds_ratio",
]
EXPONENT_COLUMNS = [
    "kernel",
    "quantity",
    "exponent",
    "exponent_published",
    "fitted_rows",
    "first_tokens",
    "last_tokens",
]
EXPONENT_ROW = ("kernel", "quantity", "fitted_rows", "first_tokens", "last_tokens")
QUANTITIES = ("milliseconds", "peak_mib")
LAYER = ("width", "heads", "workspace_mib")

# The chapter fits its last four rows: the shorter ones are flattened by the linear terms.
FITTED_ROWS = 4


def run(*, points: Sequence[Path], output: Path, exponents: Path) -> str:
    """Write the cost table and the exponents as CSV.

    Raises:
        UserError: a point cannot be read, or a table cannot be written.
    """
    measured = [read_json(path) for path in points]
    for path, point in zip(points, measured, strict=True):
        with reading(path):
            cost_table(pd.DataFrame([point]))  # the table of all would not tell which is damaged
    costs = cost_table(pd.DataFrame(measured))
    fitted = exponent_table(costs)
    write_csv(costs, output, float_format="%.8g")
    write_csv(fitted, exponents, float_format="%.8g")
    fits = ", ".join(
        f"{row.kernel} {row.quantity} n^{row.exponent:.2f}" for row in fitted.itertuples()
    )
    return f"{len(costs)} points; {fits or 'too few to fit'}"


def cost_table(points: pd.DataFrame) -> pd.DataFrame:
    """Return one row a kernel and sequence length, with :data:`COLUMNS`.

    ``peak_ratio`` and ``milliseconds_ratio`` are over the row of half the tokens and the same
    kernel (the chapter's "x4" columns), where that is the row before. Published values appear
    only beside the kernel and the layer that the chapter measured.
    """
    keys = ["kernel", "tokens", *LAYER]
    table = points.merge(published_costs(), how="left", on=keys)
    table = table.astype(dict.fromkeys(_measured(table), float))
    table = table.sort_values(["kernel", "tokens"], ignore_index=True)
    previous = table.groupby("kernel")[["tokens", *QUANTITIES]].shift()
    doubled = table["tokens"] == 2 * previous["tokens"]
    table["peak_ratio"] = (table["peak_mib"] / previous["peak_mib"]).where(doubled)
    table["milliseconds_ratio"] = (table["milliseconds"] / previous["milliseconds"]).where(doubled)
    return table[COLUMNS]


def published_costs() -> pd.DataFrame:
    """Return the published cost: kernel, tokens, the layer, and each column as ``*_published``."""
    rows: dict[tuple[int | str, int | str], dict[str, float | str | None]] = {}
    layer = published_settings().layer
    for cell, number in published_cells("memory"):
        key = (cell.row["kernel"], cell.row["tokens"])
        described = cell.row | {name: getattr(layer, name) for name in LAYER}
        rows.setdefault(key, described)[f"{cell.column}_published"] = number
    return pd.DataFrame(list(rows.values()))


def exponent_table(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the exponent of each kernel's time and memory, with :data:`EXPONENT_COLUMNS`.

    The published exponent stands only beside a fit over the same sequence lengths, since the
    exponent of one layer grows with them.
    """
    published = {
        tuple(cell.row[name] for name in EXPONENT_ROW): number
        for cell, number in published_cells("exponents")
    }
    fits = []
    for kernel, rows in costs[costs["status"] == "ok"].groupby("kernel"):
        fitted = rows.tail(FITTED_ROWS)
        if len(fitted) < 2:
            continue
        first, last = int(fitted["tokens"].iloc[0]), int(fitted["tokens"].iloc[-1])
        comparable = fitted["peak_mib_published"].notna().all()
        for quantity in QUANTITIES:
            slope = exponent(fitted["tokens"].to_numpy(), fitted[quantity].to_numpy())
            row = (str(kernel), quantity, len(fitted), first, last)
            claimed = published.get(row) if comparable else None
            fits.append((kernel, quantity, slope, claimed, *row[2:]))
    return pd.DataFrame(fits, columns=EXPONENT_COLUMNS)


def exponent(tokens: np.ndarray, quantity: np.ndarray) -> float:
    """Return p of the least-squares fit quantity ~ tokens^p in log-log coordinates."""
    return float(np.polyfit(np.log(tokens), np.log(quantity), 1)[0])


def _measured(table: pd.DataFrame) -> list[str]:
    """Return the columns that hold numbers or nothing, which JSON's null leaves untyped."""
    return [name for name in table.columns if name.endswith(("_mib", "_published", "milliseconds"))]
