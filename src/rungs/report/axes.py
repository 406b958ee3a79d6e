"""Parts that several figures draw: log axes with readable ticks, labels at line ends."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from rungs.report.labels import diverged
from rungs.report.pointing import belongs, says
from rungs.report.style import INK, MUTED, RULE, WEIGHTS, spread

# From coarse to fine: the first that gives an axis enough ticks is used.
_TICK_STEPS = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0),
    tuple(n / 10 for n in range(10, 100, 5)),
    tuple(n / 5 for n in range(5, 50)),
    tuple(n / 10 for n in range(10, 100)),
    tuple(n / 20 for n in range(20, 200)),
    tuple(n / 50 for n in range(50, 500)),
    tuple(n / 100 for n in range(100, 1000)),
)

_HOLLOW: dict[str, Any] = {
    "linestyle": "", "marker": "o", "markersize": 11, "markerfacecolor": "none",
    "markeredgewidth": 1.6,
}  # fmt: skip
COLUMN_WIDTH = 66  # points

LARGEST = 1e300
"""A perplexity that is drawn, of a run that ended just before it diverged: beyond are no floats."""

# An interval's end further from all values than this factor is cut at the edge.
FURTHEST_END = 2.0


def log_ticks(low: float, high: float, at_least: int = 4) -> list[float]:
    """Return round numbers between ``low`` and ``high`` for a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in _TICK_STEPS:
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= at_least:
            break
    return ticks


def logarithmic(
    ax: Axes,
    name: Literal["x", "y"],
    values: Sequence[float],
    ends: Sequence[float] = (),
    padding: float = 0.06,
) -> None:
    """Make one axis logarithmic around ``values``, with round numbers as ticks.

    Args:
        ax: the axes.
        name: which of the two.
        values: everything that must be visible; all positive. Without any the axis has no ticks.
        ends: of intervals; one that is zero, negative or far from the values, as with two seeds
            that differ, runs into the edge.
        padding: space on either side, as a fraction of the range.
    """
    values = [value for value in values if value > 0]
    if not values:
        ax.set(**{f"{name}ticks": []})
        return
    furthest = min(values) / FURTHEST_END, max(values) * FURTHEST_END
    reached = [*values, *(end for end in ends if furthest[0] < end < furthest[1])]
    low, high = min(reached), max(reached)
    margin = max((high / low) ** padding, 1.03)
    low, high = max(low / margin, 1 / LARGEST), min(high * margin, LARGEST)
    ticks_at(ax, name, log_ticks(low, high))
    ax.set(**{f"{name}lim": (low, high)})


def ticks_at(ax: Axes, name: Literal["x", "y"], ticks: Sequence[float]) -> None:
    """Make one axis logarithmic with these ticks, written out in full."""
    ax.set(**{f"{name}scale": "log"})
    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_tick_params(length=0)


def has_published(table: pd.DataFrame, *metrics: str) -> bool:
    """Return whether a published value of one of the metrics is among the rows."""
    columns = [name for metric in metrics if (name := f"{metric}_published") in table]
    return bool(table[columns].notna().any(axis=None))


def published_marks(
    ax: Axes, x: Iterable[float], y: Iterable[float], color: str, marker: str = "o"
) -> None:
    """Draw published values as hollow marks around where reproduced ones are."""
    ax.plot(list(x), list(y), color=color, **_HOLLOW | {"marker": marker})


def published_key() -> Line2D:
    """Return the legend's entry for hollow marks."""
    return Line2D([], [], color=MUTED, label="published", **_HOLLOW)


def weight_cells(
    ax: Axes, weights: Sequence[Sequence[float]], columns: Sequence[str], rows: Sequence[str]
) -> QuadMesh:
    """Draw a table of weights between 0 and 1, a coloured cell each, the first row on top.

    Args:
        ax: the axes.
        weights: rows of cells.
        columns: the names of the columns.
        rows: the names of the rows.

    Returns:
        The cells; cell (row, column) has its centre at x = column, y = row.
    """
    # Shapes, not pixels: an image inside the SVG would be blurred where the page scales it.
    mesh = ax.pcolormesh(
        range(len(columns)), range(len(rows)), weights, shading="nearest",
        cmap=WEIGHTS, vmin=0, vmax=1, edgecolors=RULE, linewidth=0.3,
    )  # fmt: skip
    says(
        mesh,
        [
            f"{row}, {column}: {weight:.3f}"
            for row, cells in zip(rows, weights, strict=True)
            for column, weight in zip(columns, cells, strict=True)
            if weight == weight
        ],
    )
    mesh.set_clip_on(False)  # the outer edges are as wide as the inner ones
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, labelcolor=INK)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return mesh


def label_line_ends(
    ax: Axes, labels: Sequence[str], ends: Sequence[float], colors: Sequence[str], height: float
) -> None:
    """Write each line's label to the right of the axes, level with its end or as near as fits.

    Args:
        ax: axes whose y limits and scale are final.
        labels: one a line.
        ends: the lines' last y values, in data coordinates. One that is not a number, of a line
            that diverged, is a cross at the upper right corner.
        colors: one a line, of the stroke that leads from the line to its label.
        height: of the axes, in inches, approximately; decides how near two labels may be. Offsets
            are absolute: the layout need not know the size of the axes to make room for them.
    """
    to_axes = ax.transAxes.inverted()
    wanted = [
        1.0 if math.isnan(end) else to_axes.transform(ax.transData.transform((1.0, end)))[1]
        for end in ends
    ]
    for end, color in zip(ends, colors, strict=True):
        if math.isnan(end):
            ax.plot(1, 1, "X", color=color, transform=ax.transAxes, clip_on=False)
    placed = spread(wanted, gap=0.17 / height)
    for label, start, end, color in zip(labels, wanted, placed, colors, strict=True):
        annotation = ax.annotate(
            label,
            xy=(1.005, start),
            xytext=(24, (end - start) * 72 * height),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-", "color": color, "linewidth": 1.2,
                "relpos": (0, 0.5), "shrinkA": 2, "shrinkB": 0,
            },
        )  # fmt: skip
        assert annotation.arrow_patch is not None
        for part in (annotation, annotation.arrow_patch):
            belongs(part, label)


def diverged_rows(ax: Axes, cells: Iterable[str]) -> None:
    """Mark the rows that have no number, at the left edge, and say at which step they diverged.

    Args:
        ax: axes whose rows are at 0, 1, 2, ... of the y axis.
        cells: the column ``diverged`` of a table, one a row.
    """
    for row, words in enumerate(map(diverged, cells)):
        if words:
            place = ax.get_yaxis_transform()
            ax.plot(0.02, row, "X", color=MUTED, transform=place)
            ax.annotate(
                words, (0.02, row), (8, 0), xycoords=place, textcoords="offset points",
                va="center_baseline", color=MUTED, backgroundcolor="white",
            )  # fmt: skip


def line_labels(lines: Iterable[pd.DataFrame]) -> list[str]:
    """Return what each line is called, and that it diverged where it did.

    Args:
        lines: the rows of each, with the columns label and diverged.
    """
    first = [line.iloc[0] for line in lines]
    return [", ".join(filter(None, (row["label"], diverged(row["diverged"])))) for row in first]


def columns_beside(
    ax: Axes, columns: Sequence[tuple[str, Sequence[str], str]], width: float = COLUMN_WIDTH
) -> None:
    """Write columns of values to the right of the axes, where they cannot cover a mark.

    Args:
        ax: axes whose rows are at 0, 1, 2, ... of the y axis.
        columns: from left to right; a heading, a value for each row, the heading's colour.
        width: of a column, in points.
    """
    for number, (heading, values, color) in enumerate(columns, start=1):
        # Offsets in points: the layout need not know the width of the axes to place them.
        right = (width * number, 0)
        for row, value in enumerate(values):
            ax.annotate(
                value, (1, row), right, xycoords=ax.get_yaxis_transform(),
                textcoords="offset points", ha="right", va="center_baseline",
            )  # fmt: skip
        ax.annotate(
            heading, (1, 1), (right[0], 3), xycoords="axes fraction", textcoords="offset points",
            ha="right", va="bottom", color=color, fontsize=8.5, fontweight="bold",
        )  # fmt: skip
