"""Each seed's value, which figures draw beside the mean."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rungs.report.style import INK, MUTED
from rungs.tables.numbers import rounded
from rungs.tables.samples import read_observations

Observations = Annotated[Path, "of the experiment's runs, results/observations/..."]
Seeds = Mapping[tuple[str | float, ...], Mapping[int, float]]
"""By variant, and context length or step where the figure has several: values by seed."""
NONE_KNOWN: Seeds = MappingProxyType({})


def read_seeds(path: Path, metric: str, *keys: str) -> Seeds:
    """Return a metric's single values.

    Args:
        path: an experiment's observations.
        metric: one of theirs.
        keys: columns that tell values of a variant apart, ``context_length`` or ``step``.

    Raises:
        UserError: the file cannot be read.
    """
    columns = ["variant", *keys]
    observed = read_observations(path)
    of_metric = observed[observed["metric"] == metric]
    found: dict[tuple[str | float, ...], dict[int, float]] = {}
    for row in of_metric.to_dict("records"):
        key = tuple(row[column] for column in columns)
        found.setdefault(key, {})[row["seed"]] = row["value"]
    return found


def several(seeds: Seeds, *key: str | float) -> Mapping[int, float]:
    """Return the values of a key where there are several: a single one is its own mean."""
    values = seeds.get(key, {})
    return values if len(values) > 1 else {}


def draw_seeds(
    ax: Axes, points: Iterable[tuple[float, float]], across: Literal["|", "_"], color: str = INK
) -> None:
    """Draw each seed as a stroke across the axis that its value is on."""
    if points := list(points):
        x, y = zip(*points, strict=True)
        ax.plot(
            x, y, across, color=color, markersize=8, markeredgewidth=0.9, linestyle="",
            label="each seed",
        )  # fmt: skip


def seed_key() -> Line2D:
    """Return the legend's entry for the strokes of :func:`draw_seeds` up an axis."""
    return Line2D([], [], color=MUTED, marker="_", markersize=8, linestyle="", label="each seed")


def seeds_in_words(values: Mapping[int, float]) -> str:
    """Return a line of what each seed has; empty where none is drawn."""
    words = (f"{rounded(value)} (seed {seed})" for seed, value in sorted(values.items()))
    return "\n" + ", ".join(words) if values else ""
