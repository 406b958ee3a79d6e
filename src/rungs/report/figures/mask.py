"""Stage ``figure-mask``: what a position may see, and what an untrained head makes of it."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import weight_cells
from rungs.report.style import Png, Svg
from rungs.tables.numbers import rounded
from rungs.tables.reading import read_shown

TITLE = "What a position sees"
MASK_COLUMNS = ("position", "token", "visible")
ATTENTION_COLUMNS = ("variant", "position", "token", "weight")
DARK = 0.6
"""From this weight on, the ink of a cell is white."""


def run(
    *,
    mask: Annotated[Path, "mask.csv"],
    attention: Annotated[Path, "untrained_attention.csv"],
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    seen = read_shown(mask, MASK_COLUMNS)
    weights = read_shown(attention, ATTENTION_COLUMNS).dropna(subset=["weight"])
    weights = weights[weights["variant"] == weights["variant"].iloc[0]]
    with style.styled():
        style.save(draw(seen, weights), svg, png, TITLE, describe(seen, weights))
    return f"{svg}: {seen['position'].max()} positions"


def draw(mask: pd.DataFrame, attention: pd.DataFrame) -> Figure:
    """Return the figure: the mask on the left, the weights of an untrained head on the right.

    Args:
        mask: a row for each position and token; 1 where it is seen.
        attention: the weights of one variant, mean over initialisations.
    """
    figure = Figure(figsize=(style.WIDTH, 3.6))
    left, right = figure.subplots(1, 2)
    _cells(left, mask, "visible", "{:.0f}")
    left.set_title("The mask: 1 is seen")
    _cells(right, attention, "weight", "{:.3f}")
    right.set_title("An untrained head, mean over seeds")
    return figure


def _cells(ax: Axes, table: pd.DataFrame, column: str, form: str) -> None:
    weights = table.pivot_table(index="position", columns="token", values=column)
    names = [str(int(number)) for number in weights.columns]
    weight_cells(ax, weights.to_numpy().tolist(), names, names)
    for row, values in enumerate(weights.to_numpy()):
        for place, value in enumerate(values):
            ink = "white" if value > DARK else style.INK
            ax.text(place, row, form.format(value), ha="center", va="center", color=ink, fontsize=8)
    ax.set_xlabel("token")
    ax.set_ylabel("position")
    ax.set_aspect("equal")


def describe(mask: pd.DataFrame, attention: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    size = int(mask["position"].max())
    last = attention[attention["position"] == attention["position"].max()]["weight"]
    return (
        f"{TITLE}. The mask of {size} tokens: position t sees tokens 1 to t. Position "
        f"{len(last)} of an untrained head gives its tokens weights from {rounded(last.min())} to "
        f"{rounded(last.max())}, mean over seeds."
    )
