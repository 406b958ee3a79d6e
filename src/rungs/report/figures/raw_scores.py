"""Stage ``figure-raw-scores``: whom a token looks at, and whether the look is returned."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.pointing import says_at, value_words
from rungs.report.style import Png, Svg
from rungs.tables.numbers import counted, rounded
from rungs.tables.reading import read_shown

PANELS = {"weight": "Weight on itself", "difference": "Asymmetry of the scores"}
COLUMNS = ("measure", *(metric + end for metric in PANELS for end in ("", "_low", "_high")))
TITLE = "Why a token needs a query and a key"


def run(*, table: Annotated[Path, "raw_scores.csv"], svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    with style.styled():
        style.save(draw(shown), svg, png, TITLE, describe(shown))
    return f"{svg}: {counted(len(shown), 'kind')} of scores"


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: a panel a metric, a row a kind of score."""
    figure = Figure(figsize=(style.WIDTH, 1.9))
    axes = figure.subplots(1, len(PANELS), sharey=True)
    at = range(len(table))
    for ax, (metric, title) in zip(axes, PANELS.items(), strict=True):
        ax.hlines(at, table[f"{metric}_low"], table[f"{metric}_high"], color=style.BLUE)
        ax.plot(table[metric], at, "o", color=style.BLUE)
        says_at(ax, table[metric], at, value_words(table, "measure", metric))
        largest = table[[metric, f"{metric}_high"]].to_numpy(float)
        ax.set_xlim(-0.05, 1.05 * max(1.0, np.nanmax(largest)))
        ax.tick_params(length=0)
        ax.set_title(title)
    axes[0].set_yticks(at, table["measure"])
    axes[0].set_ylim(len(table) - 0.5, -0.5)
    axes[0].tick_params(axis="y", labelcolor=style.INK)
    return figure


def describe(table: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE}."]
    for row in table.to_dict("records"):
        numbers = ", ".join(f"{PANELS[m].lower()} {rounded(row[m])}" for m in PANELS)
        parts.append(f"{row['measure']}: {numbers}.")
    return " ".join(parts)
