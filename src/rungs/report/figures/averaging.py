"""Stage ``figure-averaging``: the averaging matrix, and what is the same up to rounding."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import has_published, published_key, published_marks, ticks_at
from rungs.report.labels import MEASURES
from rungs.report.pointing import says, says_at, value_words
from rungs.report.style import Png, Svg
from rungs.tables.numbers import counted, rounded
from rungs.tables.reading import read_shown

COLUMNS = ("measure", "precision", "difference", "difference_low", "difference_high", "rounding")
MATRIX_COLUMNS = ("position", "token", "weight")
TITLE = "The average as a matrix"
LOOKS = {"float32": (style.BLUE, "o", -0.12), "float64": (style.GREEN, "s", 0.12)}
"""Colour, marker, and how far from the middle of its row it is drawn."""
DARK = 0.55
"""From this weight on, the ink of a cell is white."""


def run(
    *,
    table: Annotated[Path, "averaging.csv"],
    matrix: Annotated[Path, "averaging_matrix.csv"],
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    weights = read_shown(matrix, MATRIX_COLUMNS)
    with style.styled():
        style.save(draw(shown, weights), svg, png, TITLE, describe(shown, weights))
    return f"{svg}: {counted(shown['measure'].nunique(), 'comparison')}"


def draw(table: pd.DataFrame, matrix: pd.DataFrame) -> Figure:
    """Return the figure: the matrix on the left, differences on a log axis on the right.

    Args:
        table: largest differences between two computations, by measure and precision.
        matrix: the weight of each token at each position, both counted from 1.
    """
    figure = Figure(figsize=(style.WIDTH, 3.3))
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
    _matrix(left, matrix)
    _differences(right, table)
    handles = right.get_legend_handles_labels()[0]
    if has_published(table, "difference"):
        handles.append(published_key())
    figure.legend(handles=handles, loc="outside lower right", ncols=3)
    return figure


def _matrix(ax: Axes, matrix: pd.DataFrame) -> None:
    weights = matrix.pivot_table(index="position", columns="token", values="weight").to_numpy()
    blues = LinearSegmentedColormap.from_list("blues", ["white", style.BLUE])
    edges = [n - 0.5 for n in range(len(weights) + 1)]
    cells = ax.pcolormesh(edges, edges, weights, cmap=blues, vmin=0, vmax=1)
    says(
        cells,
        [
            f"position {position}, token {token}: {weight:.3f}"
            for position, row in enumerate(weights, start=1)
            for token, weight in enumerate(row, start=1)
        ],
    )
    ax.set_aspect("equal")
    ax.invert_yaxis()
    for position, row in enumerate(weights):
        for token, weight in enumerate(row):
            ax.text(
                token, position, f"{weight:.3f}" if weight else "0", ha="center",
                va="center_baseline", fontsize=8,
                color="white" if weight > DARK else style.INK if weight else style.MUTED,
            )  # fmt: skip
    numbers = range(len(weights))
    ax.set_xticks(numbers, [str(n + 1) for n in numbers])
    ax.set_yticks(numbers, [str(n + 1) for n in numbers])
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("token")
    ax.set_ylabel("position")
    ax.set_title("Weight of each token")


def _differences(ax: Axes, table: pd.DataFrame) -> None:
    measures = list(table["measure"].unique())
    for precision, rows in table.groupby("precision", sort=False):
        color, marker, shift = LOOKS[str(precision)]
        at = [measures.index(measure) + shift for measure in rows["measure"]]
        ax.hlines(at, rows["difference_low"], rows["difference_high"], color=color, linewidth=1.2)
        ax.plot(
            rows["difference"], at, linestyle="", marker=marker, color=color, label=str(precision)
        )
        named = [f"{MEASURES[measure]}, {precision}" for measure in rows["measure"]]
        says_at(
            ax, rows["difference"], at, value_words(rows.assign(named=named), "named", "difference")
        )
        if has_published(rows, "difference"):
            published_marks(ax, rows["difference_published"], at, color, marker)
    ticks_at(ax, "x", [1e-16, 1e-12, 1e-8, 1e-4, 1])
    ax.set_xticklabels(["1e\N{MINUS SIGN}16", "1e\N{MINUS SIGN}12", "1e\N{MINUS SIGN}8",
                        "1e\N{MINUS SIGN}4", "1"])  # fmt: skip
    ax.set_xlim(3e-17, 10)
    ax.set_yticks(range(len(measures)), [MEASURES[measure] for measure in measures])
    ax.set_ylim(len(measures) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_xlabel("largest difference (log scale)")
    ax.set_title("Two computations compared")


def describe(table: pd.DataFrame, matrix: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    size = int(matrix["position"].max())
    parts = [
        f"{TITLE}, {size} by {size}: row t has the weight 1/t for tokens 1 to t and zero after "
        "them. Largest difference between two computations, mean over seeds."
    ]
    for measure, rows in table.groupby("measure", sort=False):
        values = ", ".join(
            f"{rounded(row['difference'])} in {row['precision']}" for row in rows.to_dict("records")
        )
        parts.append(f"{MEASURES[str(measure)]}: {values}.")
    return " ".join(parts)
