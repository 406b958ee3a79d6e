"""Stage ``compare``: two results folders or bundles side by side."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Annotated

from rungs.bundle.reading import opened
from rungs.compare.counted import Counted, compare_counted
from rungs.compare.runs import TOLERANCES, Compared, compare_runs
from rungs.compare.tables import Tables, compare_tables
from rungs.compare.text import Output
from rungs.compare.verdicts import Verdicts, compare_verdicts
from rungs.errors import UserError
from rungs.finding import Finding
from rungs.reading import read_object
from rungs.tables.columns import possible
from rungs.tables.intervals import Estimate
from rungs.tables.numbers import counted, estimate, rounded, signed_estimate

WAY_OUT = "give two folders that have a report, or bundles"
PROVENANCE = ("code", "configuration", "torch of the runs", "devices of the runs", "date")


def run(
    a: Annotated[Path, "results folder or bundle"],
    b: Annotated[Path, "results folder or bundle"],
    /,
) -> str:
    """Print both side by side.

    Raises:
        Finding: the verdict of a claim is not the same in both.
        UserError: one of them cannot be read, or a bundle is damaged.
    """
    paths = (a, b)
    for path in paths:
        if not path.exists():
            raise UserError(f"{path}: does not exist; {WAY_OUT}")
    with ExitStack() as stack:
        a, b = (stack.enter_context(opened(path)) for path in paths)
        for path, folder in zip(paths, (a, b), strict=True):
            if not (folder / "claims.csv").is_file():
                raise UserError(f"{path}: has no claims.csv; {WAY_OUT}")
        verdicts = compare_verdicts(a, b)
        runs = compare_runs(a, b)
        tables = compare_tables(a, b)
        numbers = compare_counted(a, b)
        output = Output()
        _show_provenance(output, paths, (a, b))
    _show_what_one_has(output, runs, tables, numbers, verdicts)
    # What differs comes last, the verdicts at the very end: a terminal shows the end.
    _show_runs(output, runs)
    _show_tables(output, tables)
    _show_counted(output, numbers)
    _show_verdicts(output, verdicts)
    output.line(_equal(runs, tables, numbers))
    summary = _summary(verdicts, runs, numbers)
    if verdicts.changed:
        raise Finding(summary)
    return summary


def _show_provenance(output: Output, paths: tuple[Path, Path], folders: tuple[Path, Path]) -> None:
    files = [folder / "provenance.json" for folder in folders]
    made = [read_object(path) if path.is_file() else {} for path in files]
    rows = [["folder", *map(str, paths)]]
    rows += [[key, *(str(m.get(key, "unknown")) for m in made)] for key in PROVENANCE]
    output.table("Where they come from", ["", "A", "B"], rows)


def _show_what_one_has(
    output: Output, runs: Sequence[Compared], tables: Tables, numbers: Counted, verdicts: Verdicts
) -> None:
    apart = [row for row in runs if not row.common and row.metric == "parameters"]
    rows = [
        [", ".join(place), row.variant, *(_seeds(e) for e in (row.a, row.b))]
        for place, together in groupby(apart, key=lambda row: row.place)
        for row in together
    ]
    output.table("Trained without a seed in common", ["on", "variant", "A", "B"], rows)
    only = (("A", tables.only_a), ("B", tables.only_b))
    rows = [[name, table] for name, found in only for table in found]
    output.table("Tables that only one has", ["", "table"], rows)
    counts = sorted({*numbers.only_a, *numbers.only_b})
    rows = [[table, str(numbers.only_a[table]), str(numbers.only_b[table])] for table in counts]
    output.table("Counted numbers that only one has", ["table", "A", "B"], rows)
    only = (("A", verdicts.only_a), ("B", verdicts.only_b))
    rows = [[name, claim] for name, claims in only for claim in claims]
    output.table("Claims that only one has judged", ["", "claim"], rows)


def _show_runs(output: Output, runs: Sequence[Compared]) -> None:
    headings = ["on", "variant", "metric", "A", "B", "B - A", "relative", ""]
    differing = sorted((row for row in runs if row.differs), key=lambda row: abs(row.relative))
    rows = [
        [", ".join(row.place), row.variant, _metric(row), *_values(row), *_difference(row)]
        for row in differing
    ]
    title = "Trained numbers that differ, the furthest last: B - A is paired by seed"
    output.table(title, headings, rows)


def _seeds(found: Estimate) -> str:
    return counted(found.seeds, "seed") if found.seeds else "not run"


def _metric(row: Compared) -> str:
    return row.metric.replace("_", " ") + (f", {row.length}" if row.length else "")


def _values(row: Compared) -> list[str]:
    return [
        estimate(e.mean, possible(row.metric, e.low), possible(row.metric, e.high), e.seeds)
        for e in (row.a, row.b)
    ]


def _difference(row: Compared) -> tuple[str, str, str]:
    d = row.difference
    return (
        signed_estimate(d.mean, d.low, d.high, d.seeds),
        f"{rounded(100 * row.relative, 2)} %",
        f"beyond {TOLERANCES[row.metric]:.0%}" if row.beyond else "",
    )


def _show_tables(output: Output, tables: Tables) -> None:
    rows = [
        [
            table.table, f"{table.cells:,} of {table.compared:,}", *table.furthest,
            _rows_apart(table.only_a, table.only_b),
        ]
        for table in tables.differing
    ]  # fmt: skip
    headings = ["table", "cells", "the furthest", "A", "B", "rows of one alone"]
    output.table("Tables that differ", headings, rows)


def _rows_apart(a: int, b: int) -> str:
    return f"{a:,} of A, {b:,} of B" if a or b else ""


def _show_counted(output: Output, numbers: Counted) -> None:
    unequal = [list(number) for number in numbers.unequal]
    output.table("Counted numbers that differ", ["number", "A", "B"], unequal)


def _show_verdicts(output: Output, verdicts: Verdicts) -> None:
    rows = [
        [change.statement, f"{change.a}: {change.reason_a}", f"{change.b}: {change.reason_b}"]
        for change in verdicts.changed
    ]
    output.table("Claims whose verdict changed", ["claim", "A", "B"], rows)


def _equal(runs: Sequence[Compared], tables: Tables, numbers: Counted) -> str:
    trained = [row for row in runs if row.common and row.metric != "parameters"]
    same = sum(not row.differs for row in trained)
    in_common = len(tables.equal) + len(tables.differing)
    return (
        f"Equal to the last digit: {same} of {counted(len(trained), 'trained number')}, "
        f"{len(tables.equal)} of {counted(in_common, 'other table')}, "
        f"{numbers.common - len(numbers.unequal)} of {counted(numbers.common, 'counted number')}"
    )


def _summary(verdicts: Verdicts, runs: Sequence[Compared], numbers: Counted) -> str:
    trained = [row for row in runs if row.common and row.metric != "parameters"]
    beyond = sum(row.beyond for row in trained)
    parameters = [row for row in runs if row.common and row.metric == "parameters"]
    differing = len(numbers.unequal) + sum(row.beyond for row in parameters)
    checks = sum(change.is_check for change in verdicts.changed)
    return (
        f"{len(verdicts.changed) - checks} of {counted(verdicts.claims, 'verdict')} and "
        f"{checks} of {counted(verdicts.checks, 'check')} changed; "
        f"{beyond} of {counted(len(trained), 'trained number')} differ by more than "
        f"{TOLERANCES['perplexity']:.0%}; "
        f"{differing} of {counted(numbers.common + len(parameters), 'counted number')} differ"
    )
