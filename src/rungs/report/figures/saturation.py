"""Stage ``figure-saturation``: from which width on an undivided softmax saturates."""

from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import has_published, published_key, published_marks, ticks_at
from rungs.report.pointing import says_at, value_words
from rungs.report.style import Png, Svg
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

TITLE = "Where large begins"


class Panel(NamedTuple):
    """One metric of the table, and how its axes are named."""

    metric: str
    title: str
    logarithmic_ticks: tuple[float, ...] = ()
    """Of a metric that spans decades; a share has an axis from 0 to 1."""


PANELS = (
    Panel("effective_tokens", "Effective tokens of 64", (1, 2, 4, 8, 16, 32, 64)),
    Panel("jacobian", "Jacobian, sum of w(1 \N{MINUS SIGN} w)"),
    Panel("frozen", "Rows frozen, share"),
)
COLUMNS = (
    "width",
    "divided",
    *(panel.metric + end for panel in PANELS for end in ("", "_low", "_high")),
)
LOOKS = {"yes": ("divided by \N{SQUARE ROOT}d", style.BLUE, "o"),
         "no": ("undivided", style.VERMILLION, "s")}  # fmt: skip


def run(*, table: Annotated[Path, "saturation.csv"], svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS).sort_values("width")
    with style.styled():
        style.save(draw(shown), svg, png, TITLE, describe(shown))
    return f"{svg}: {counted(shown['width'].nunique(), 'width')}"


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: three panels against the width, each divided and undivided.

    Args:
        table: a row for each width, ascending, and division.
    """
    figure = Figure(figsize=(style.WIDTH, 3.4))
    axes = figure.subplots(1, len(PANELS))
    for ax, panel in zip(axes, PANELS, strict=True):
        _panel(ax, panel, table)
    handles = axes[0].get_legend_handles_labels()[0]
    if has_published(table, *(panel.metric for panel in PANELS)):
        handles.append(published_key())
    figure.legend(handles=handles, loc="outside lower left", ncols=3)
    return figure


def _panel(ax: Axes, panel: Panel, table: pd.DataFrame) -> None:
    for divided, rows in table.groupby("divided", sort=False):
        label, color, marker = LOOKS[str(divided)]
        ax.plot(rows["width"], rows[panel.metric], color=color, marker=marker, label=label)
        low, high = rows[f"{panel.metric}_low"], rows[f"{panel.metric}_high"]
        ax.vlines(rows["width"], low, high, color=color, linewidth=1.2)
        named = [f"{label}, width {width:,}" for width in rows["width"]]
        words = value_words(rows.assign(named=named), "named", panel.metric)
        says_at(ax, rows["width"], rows[panel.metric], words)
        if has_published(rows, panel.metric):
            published = rows[f"{panel.metric}_published"]
            published_marks(ax, rows["width"], published, color, marker)
    widths = sorted(table["width"].unique())
    ticks_at(ax, "x", widths)
    # Every second width, counted from the largest: more do not fit beside one another.
    shown = set(widths[::-1][:: 1 if len(widths) < 5 else 2])
    ax.set_xticks(widths, [f"{width:,}" if width in shown else "" for width in widths])
    if panel.logarithmic_ticks:
        ticks_at(ax, "y", panel.logarithmic_ticks)
        ax.set_ylim(panel.logarithmic_ticks[0] / 1.4, panel.logarithmic_ticks[-1] * 1.15)
    else:
        ax.set_ylim(-0.04, 1.06)
    ax.tick_params(length=0)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("width, d")
    ax.set_title(panel.title)


def describe(table: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE}: the softmax of 64 random scores against the width."]
    for row in table.sort_values(["divided", "width"], ascending=[False, True]).to_dict("records"):
        label = "divided" if row["divided"] == "yes" else "undivided"
        numbers = []
        for panel in PANELS:
            published = as_published(row.get(f"{panel.metric}_published", float("nan")))
            note = f" (published {published})" if published else ""
            numbers.append(f"{panel.title.lower()} {rounded(row[panel.metric])}{note}")
        parts.append(f"Width {row['width']:,}, {label}: {', '.join(numbers)}.")
    return " ".join(parts)
