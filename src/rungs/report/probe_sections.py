"""The sections of the page on what is measured without training, as the catalogue declares them."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

from rungs.config import Config
from rungs.probes.catalogue import PROBES, SECTIONS
from rungs.probes.probe import Probe, ProbeSection
from rungs.report.catalogue import figures_in
from rungs.report.section import Section
from rungs.report.shown import Cells, Shown
from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted
from rungs.tables.reading import read_shown

Label = Callable[[str], str]
"""What the page calls a variant."""


def probe_sections(config: Config, results: Path) -> list[Section]:
    """Return the sections in the catalogue's order.

    Raises:
        UserError: a table that exists cannot be read.
    """
    return [_section(config, results, declared) for declared in SECTIONS]


def _section(config: Config, results: Path, declared: ProbeSection) -> Section:
    probes = [probe for probe in PROBES if probe.section == declared.anchor]
    names = [probe.name for probe in probes]
    lead = declared.lead if isinstance(declared.lead, str) else declared.lead(config)
    section = Section(declared.anchor, declared.title, names, [lead])
    section.figures = figures_in(config, section.anchor)

    def label(variant: str) -> str:
        return config.label(variant) if variant in config.variants else variant

    for probe in probes:
        _show(section, results, probe, label)
    return section


def _show(section: Section, results: Path, probe: Probe, label: Label) -> None:
    """Add the probe's table to the section, or say that it is missing."""
    target, shown = f"{probe.name}.csv", probe.table
    if shown is None:
        return
    if (results / target).is_file():
        table = read_shown(results / target, [*_columns(shown)])
        section.tables.append(probe_view(table, shown, label, target))
    else:
        section.missing.append(("This measurement", target))


def probe_view(table: pd.DataFrame, shown: Shown, label: Label, target: str) -> TableView:
    """Return a probe's table as it is declared.

    Args:
        table: with the columns that are shown.
        shown: the declaration.
        label: names variants.
        target: its file, below the results folder.
    """
    rows = table.dropna(subset=[shown.having]) if shown.having else table
    builder = Builder()
    first, *others = shown.columns
    if shown.across:
        names = pd.DataFrame({first.column: sorted(table[first.column].unique())})
        _add(builder, first, names, label)
        for value, found in table.groupby(shown.across, sort=False):
            there = found.set_index(first.column).reindex(names[first.column])
            for cells in others:
                _add(builder, cells, there, label, f"{label(str(value))}, ")
    else:
        for cells in shown.columns:
            _add(builder, cells, rows, label)
    return builder.view(shown.caption + _mean_of(rows), target)


def _add(builder: Builder, cells: Cells, rows: pd.DataFrame, label: Label, of: str = "") -> None:
    if "precision" in rows:
        rows = rows[rows["precision"] == (cells.precision or "float32")]
    form = label if cells.column == "variant" else cells.form
    column, heading = rows[cells.column], of + cells.heading
    written = map(form, column) if form else estimates(rows, cells.column)
    if cells.kind == "words":
        builder.words(heading, written, cells.group)
    elif cells.kind == "numbers":
        builder.numbers(heading, written, cells.group)
    else:
        missing = pd.Series(math.nan, index=rows.index)
        published = rows.get(f"{cells.column}_published", missing).astype(float)
        builder.beside(heading, written, map(as_published, published))


def _columns(shown: Shown) -> Iterator[str]:
    """Yield the columns that the table must have."""
    yield from filter(None, (shown.having, shown.across))
    for cells in shown.columns:
        yield cells.column
        if cells.precision:
            yield "precision"
        if cells.form is None:
            yield from (f"{cells.column}_low", f"{cells.column}_high", "seeds")


def _mean_of(table: pd.DataFrame) -> str:
    """Say how often it was repeated, and nothing of what is exact."""
    if "seeds" not in table:
        return ""
    seeds = int(table["seeds"].max())
    if seeds == 1:
        return ", of 1 seed, hence no interval."
    return f": mean with its {INTERVAL} over {counted(seeds, 'seed')}."
