"""Stage ``figure-gradient-norms``: each block's gradient norm at initialisation."""

from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import has_published, published_key, published_marks
from rungs.report.pointing import says_at, value_words
from rungs.report.style import Labels, Png, Svg
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

TITLE = "Gradient norms at initialisation"


class Panel(NamedTuple):
    """One norm of the table, and its title."""

    metric: str
    title: str


PANELS = (
    Panel("whole_block", "of the whole block"),
    Panel("output_projection", "of W_o alone"),
)
COLUMNS = (
    "variant",
    "block",
    *(panel.metric + end for panel in PANELS for end in ("", "_low", "_high")),
)


def run(*, table: Annotated[Path, "gradient_norms.csv"], labels: Labels, svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    shown["label"] = [labels.get(variant, variant) for variant in shown["variant"]]
    with style.styled():
        style.save(draw(shown), svg, png, TITLE, describe(shown))
    return f"{svg}: {counted(shown['variant'].nunique(), 'variant')}"


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: the norm of each block against its number, one line a variant.

    Args:
        table: a row for each variant and block, with the variant's label.
    """
    figure = Figure(figsize=(style.WIDTH, 3.4))
    axes = figure.subplots(1, len(PANELS))
    for ax, panel in zip(axes, PANELS, strict=True):
        _panel(ax, panel, table)
    handles = axes[0].get_legend_handles_labels()[0]
    if has_published(table, *(panel.metric for panel in PANELS)):
        handles.append(published_key())
    figure.legend(handles=handles, loc="outside lower left", ncols=4)
    return figure


def _panel(ax: Axes, panel: Panel, table: pd.DataFrame) -> None:
    for index, (label, rows) in enumerate(table.groupby("label", sort=False)):
        look = style.line_style(index)
        ax.plot(rows["block"], rows[panel.metric], **look, markersize=5, label=str(label))
        low, high = rows[f"{panel.metric}_low"], rows[f"{panel.metric}_high"]
        ax.fill_between(rows["block"], low, high, color=look["color"], alpha=0.15, linewidth=0)
        named = [f"{label}, block {block}" for block in rows["block"]]
        words = value_words(rows.assign(named=named), "named", panel.metric)
        says_at(ax, rows["block"], rows[panel.metric], words)
        if has_published(rows, panel.metric):
            published = rows[f"{panel.metric}_published"]
            published_marks(ax, rows["block"], published, look["color"], look["marker"])
    blocks = sorted(table["block"].unique())
    ax.set_xticks(blocks)
    ax.set_ylim(bottom=0)
    ax.tick_params(length=0)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("block")
    ax.set_title(f"Gradient norm {panel.title}")


def describe(table: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE}, before any step, mean over seeds."]
    for label, rows in table.groupby("label", sort=False):
        for panel in PANELS:
            ends = []
            for row in (rows.iloc[0], rows.iloc[-1]):
                published = as_published(row.get(f"{panel.metric}_published", float("nan")))
                note = f" (published {published})" if published else ""
                ends.append(f"{rounded(row[panel.metric])}{note} in block {row['block']}")
            parts.append(f"{label}, norm {panel.title}: {', '.join(ends)}.")
    return " ".join(parts)
