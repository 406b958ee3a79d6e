"""Stage ``figure-variance``: the spread of a dot product against the width."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rungs.report import style
from rungs.report.axes import has_published, logarithmic, published_key, published_marks, ticks_at
from rungs.report.pointing import says_at, value_words
from rungs.report.style import Png, Svg
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

COLUMNS = (
    "width",
    "variance",
    "variance_low",
    "variance_high",
    "standard_deviation",
    "expected_standard_deviation",
)
TITLE = "The spread of a dot product grows with the width"


def run(*, table: Annotated[Path, "variance.csv"], svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS).sort_values("width")
    with style.styled():
        style.save(draw(shown), svg, png, TITLE, describe(shown))
    return f"{svg}: {counted(len(shown), 'width')}"


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: standard deviations on the left, variance over width on the right.

    Args:
        table: a row for each width, ascending.
    """
    figure = Figure(figsize=(style.WIDTH, 3.6))
    left, right = figure.subplots(1, 2)
    _deviations(left, table)
    _ratios(right, table)
    handles = [
        Line2D([], [], color=style.BLUE, marker="o", linestyle="", label="reproduced"),
        Line2D([], [], color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2, label="theory"),
    ]
    if has_published(table, "variance"):
        handles.append(published_key())
    figure.legend(handles=handles, loc="outside lower left", ncols=3)
    return figure


def _deviations(ax: Axes, table: pd.DataFrame) -> None:
    expected = table["expected_standard_deviation"]
    ax.plot(table["width"], expected, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
    ax.plot(table["width"], table["standard_deviation"], "o", color=style.BLUE)
    words = value_words(_named(table), "named", "standard_deviation")
    says_at(ax, table["width"], table["standard_deviation"], words)
    if has_published(table, "standard_deviation"):
        published = table["standard_deviation_published"]
        published_marks(ax, table["width"], published, style.BLUE)
    logarithmic(ax, "y", [*table["standard_deviation"], *expected])
    _widths(ax, table)
    ax.set_title("Standard deviation of q\N{DOT OPERATOR}k, and \N{SQUARE ROOT}d")


def _ratios(ax: Axes, table: pd.DataFrame) -> None:
    width = table["width"]
    ax.axhline(1, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
    ax.vlines(
        width, table["variance_low"] / width, table["variance_high"] / width, color=style.BLUE
    )
    ax.plot(width, table["variance"] / width, "o", color=style.BLUE)
    says_at(ax, width, table["variance"] / width, value_words(_named(table), "named", "variance"))
    if has_published(table, "variance"):
        published = table["variance_published"] / width
        published_marks(ax, width, published, style.BLUE)
    _widths(ax, table)
    ax.margins(y=0.15)
    ax.set_title("Variance over d, with its interval")


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(named=[f"width {width:,}" for width in table["width"]])


def _widths(ax: Axes, table: pd.DataFrame) -> None:
    ticks_at(ax, "x", table["width"].tolist())
    ax.set_xlim(table["width"].min() / 1.3, table["width"].max() * 1.3)
    ax.tick_params(length=0)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("width, d")


def describe(table: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE}. Standard deviation of q times k, and the square root of the width."]
    for row in table.to_dict("records"):
        published = as_published(row.get("standard_deviation_published", float("nan")))
        note = f", published {published}" if published else ""
        parts.append(
            f"Width {row['width']:,}: {rounded(row['standard_deviation'])}{note}; "
            f"theory {rounded(row['expected_standard_deviation'])}."
        )
    return " ".join(parts)
