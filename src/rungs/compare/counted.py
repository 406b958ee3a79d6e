"""Numbers that are counted, and are the same on every machine to the last digit."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rungs.reading import read_object
from rungs.tables.reading import read_table

COUNTED = {
    # table: the columns that name a row, the columns that are counted
    "parameters": (["model", "component"], ["parameters"]),
    "memory": (["kernel", "tokens"], ["status", "attention_matrix_mib", "peak_mib"]),
}


class Unequal(NamedTuple):
    """A counted number that differs."""

    where: str
    a: str
    b: str


class Counted(NamedTuple):
    """What became of the counted numbers; those that only one folder has, by their table."""

    unequal: list[Unequal]
    common: int
    only_a: Counter[str]
    only_b: Counter[str]


def compare_counted(a: Path, b: Path) -> Counted:
    """Return the counted numbers that differ, and how many were compared.

    Raises:
        UserError: a table is there and cannot be read.
    """
    first, second = dict(_numbers(a)), dict(_numbers(b))
    common = [key for key in first if key in second]
    pairs = [Unequal(key[1], first[key], second[key]) for key in common]
    return Counted(
        [pair for pair in pairs if pair.a != pair.b],
        len(pairs),
        Counter(table for table, where in first if (table, where) not in second),
        Counter(table for table, where in second if (table, where) not in first),
    )


def _numbers(folder: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each counted number's table and address, and its digits."""
    for table, (keys, columns) in COUNTED.items():
        path = folder / f"{table}.csv"
        if path.is_file():
            for row in read_table(path, [*keys, *columns], may_be_empty=True).to_dict("records"):
                where = ", ".join(str(row[key]).replace("_", " ") for key in keys)
                for column in columns:
                    yield (table, f"{column} of {where}"), _digits(row[column])
    for path in sorted(folder.glob("corpus/*/summary.json")):
        for field, value in read_object(path).items():
            yield ("corpus", f"{field} of corpus {path.parent.name}"), _digits(value)


def _digits(value: object) -> str:
    """Return the value as text; an empty field is called none, unlike one that is not there."""
    if value is None or value != value:
        return "none"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
