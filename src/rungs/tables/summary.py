"""Summarise what runs measured over their seeds, whatever names a row: for every table of runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rungs.corpus.referents import ROLES
from rungs.published.quantity import Cell
from rungs.tables.columns import KEYS, WORDS
from rungs.tables.intervals import estimate
from rungs.tables.published import published_difference, published_value
from rungs.tables.samples import Keys, Samples
from rungs.tables.settings import ExperimentSettings, Row

INTERVAL = ("", "_low", "_high")
PUBLISHED = (*INTERVAL, "_published")

_WHOLE = {*KEYS, "seeds", "parameters"}
_SAME_FOR_EVERY_SEED = ("parameters", "chance")


@dataclass(frozen=True)
class Comparison:
    """A number of each seed that a variant and its reference both have."""

    column: str
    of: Callable[[float, float], float]
    """From the reference's and the variant's."""
    suffixes: Sequence[str] = INTERVAL


@dataclass(frozen=True)
class Table:
    """What a table of runs has."""

    keys: Callable[[Row], Iterable[Keys]]
    """What the rows of a variant are of, in order."""
    metrics: Sequence[str]
    """The first one's seeds are counted, and it is the one that is compared."""
    before: Sequence[str] = ()
    """Columns before the number of seeds, beside the variant: keys, or what follows from them."""
    after: Sequence[str] = ()
    """Columns after it: more of the same, and metrics that are the same for every seed."""
    suffixes: Sequence[str] = PUBLISHED
    """Of each metric's columns."""
    comparison: Comparison | None = None

    @property
    def columns(self) -> list[str]:
        """All columns, in order."""
        found = ["variant", "label", *self.before, "seeds", "diverged", *self.after]
        found += [f"{metric}{suffix}" for metric in self.metrics for suffix in self.suffixes]
        if compared := self.comparison:
            found += ["reference", *(f"{compared.column}{end}" for end in compared.suffixes)]
        return found


def summarise(
    measured: Samples, table: Table, settings: ExperimentSettings, experiment: str
) -> pd.DataFrame:
    """Return a row for each variant, in the settings' order, and each of its keys.

    A row without runs, or with one that diverged, has no seeds and no numbers. What is compared
    with the reference is paired: of the seeds that both have.

    Args:
        measured: by that experiment's runs.
        table: what it has.
        settings: of the experiment.
        experiment: its name, under which numbers are published.
    """

    def cell(row: Keys, column: str) -> Cell:
        return Cell(table=experiment, row=dict(row), column=column)

    compared = table.comparison
    rows = []
    for row in settings.rows:
        reference = settings.comparisons.get(row.variant)
        for keys in table.keys(row):
            at = {"variant": row.variant, **keys}
            own = measured.of(at, table.metrics[0])
            found: dict[str, Any] = {
                **at,
                "label": row.label,
                "version": (row.corpus or settings.corpus).version,
                "role": ROLES.get(str(keys.get("adjective"))),
                "seeds": len(own),
                "diverged": measured.diverged(row.variant),
                "reference": reference,
            }
            for name in _SAME_FOR_EVERY_SEED:
                found[name] = next(iter(measured.of({"variant": row.variant}, name).values()), None)
            for metric in table.metrics:
                found |= estimate(measured.of(at, metric).values()).columns(metric)
                if "_published" in table.suffixes:
                    found[f"{metric}_published"] = published_value(cell(at, metric), settings)
            if compared and reference is not None:
                other = {**at, "variant": reference}
                theirs = measured.of(other, table.metrics[0])
                both = [compared.of(theirs[seed], own[seed]) for seed in own if seed in theirs]
                found |= estimate(both).columns(compared.column)
                if "_published" in compared.suffixes:
                    first, second = (cell(named, table.metrics[0]) for named in (other, at))
                    found[f"{compared.column}_published"] = published_difference(
                        first, second, settings
                    )
            rows.append(found)
    made = pd.DataFrame(rows, columns=table.columns)
    numbers = {n: "Int64" if n in _WHOLE else "float" for n in table.columns if n not in WORDS}
    return made.astype(numbers)
