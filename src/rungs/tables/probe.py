"""Stage ``probe-table``: a probe summarised over its seeds, beside what was published."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd

from rungs.probes.measurement import Measurement, read_measurements
from rungs.published.load import PublishedCell, published_cells
from rungs.reading import reading
from rungs.tables.comparable import probe_mismatch
from rungs.tables.intervals import estimate
from rungs.tables.settings import ProbeSettings
from rungs.tables.writing import write_csv

Row = dict[str, int | str]


def run(
    *,
    measurements: Annotated[Path, "a probe's JSON"],
    probe: Annotated[str, "its name"],
    settings: ProbeSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write the table of one probe.

    Raises:
        UserError: the measurements or the settings cannot be read.
    """
    published = [
        found for found in published_cells(probe) if probe_mismatch(found.cell, settings) is None
    ]
    table = probe_table(read_measurements(measurements), published)
    with reading(measurements):  # whose rows may be called what no column is
        write_csv(table, output, float_format="%.6g")
    return f"{len(table)} rows"


def probe_table(
    measurements: Sequence[Measurement], published: Sequence[PublishedCell]
) -> pd.DataFrame:
    """Return one row for each row that was measured, in that order.

    Each metric has its mean and, where it is repeated over seeds, the interval; published values
    have a column where there are any of the metric.
    """
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for measurement in measurements:
        row, metric = measurement.row, measurement.metric
        found = rows.setdefault(tuple(row.items()), {**row})
        if measurement.by_seed is None:
            found[metric] = measurement.exact
        else:
            summary = estimate(measurement.by_seed)
            found.setdefault("seeds", summary.seeds)  # of its first metric: single rows are more
            found |= summary.columns(metric)
        if any(cell.column == metric for cell, _ in published):
            found[f"{metric}_published"] = _published(row, metric, published)
    table = pd.DataFrame(list(rows.values()))
    return table.astype({"seeds": "Int64"}) if "seeds" in table else table


def _published(row: Row, metric: str, published: Sequence[PublishedCell]) -> float | None:
    """Return the published value whose cell names this row, by all or some of its columns."""
    for cell, number in published:
        if cell.column == metric and cell.row.items() <= row.items():
            return number
    return None
