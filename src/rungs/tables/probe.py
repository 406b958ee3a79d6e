"""Stage ``probe-table``: a probe summarised over its seeds, beside what was published."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from rungs.probes.measurement import Measurement, read_measurements
from rungs.published.load import PublishedCell, published_cells
from rungs.tables.comparable import probe_mismatch
from rungs.tables.intervals import estimate
from rungs.tables.settings import ProbeSettings, parse_settings
from rungs.tables.writing import write_csv

Row = dict[str, int | str]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--measurements", type=Path, required=True, help="a probe's JSON")
    parser.add_argument("--probe", required=True, help="its name")
    parser.add_argument("--settings", required=True, help="JSON of ProbeSettings")
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write the table of one probe.

    Raises:
        UserError: the measurements or the settings cannot be read.
    """
    settings = parse_settings(ProbeSettings, arguments.settings)
    published = [
        found
        for found in published_cells(arguments.probe)
        if probe_mismatch(found.cell, settings) is None
    ]
    table = probe_table(read_measurements(arguments.measurements), published)
    write_csv(table, arguments.output, float_format="%.6g")
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
