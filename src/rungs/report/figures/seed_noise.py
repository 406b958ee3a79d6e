"""Stage ``figure-seed-noise``: published differences beside what one seed shows by luck."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import columns_beside
from rungs.report.pointing import says_at
from rungs.report.seed_noise_view import needed, read_noise, seed_columns
from rungs.report.style import Png, Svg
from rungs.tables.intervals import level
from rungs.tables.numbers import as_published, counted, rounded

TITLE = "What one seed can tell"
ROW_HEIGHT = 0.33  # inches
FURTHEST = 4.0
"""Published differences to either side of none; what lies beyond is drawn as an arrow there."""


def run(*, table: Annotated[Path, "seed_noise.csv"], svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_noise(table)
    measured = shown[shown["seeds"] > 0]
    with style.styled():
        figure = draw(measured) if len(measured) else _nothing()
        style.save(figure, svg, png, TITLE, describe(measured))
    return f"{svg}: {counted(len(measured), 'difference')}"


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: each seed's difference, as a multiple of the published one.

    Args:
        table: rows of ``seed_noise.csv`` that have been measured.
    """
    figure = Figure(figsize=(style.WIDTH, 1.35 + ROW_HEIGHT * len(table)))
    ax = figure.subplots()
    rows = range(len(table))
    size = table["published"]
    noise = (table["single_seed_noise"] / size.abs()).to_numpy(float)
    if table["single_seed_noise"].notna().any():
        ax.barh(
            rows, 2 * noise, left=-noise, height=0.62, color=style.RULE,
            label=f"what one seed shows by luck ({level()})",
        )  # fmt: skip
    for number, column in enumerate(seed_columns(table)):
        shares = (table[column] / size).tolist()
        words = [
            f"{name}, seed {number}\n{rounded(value) if value == value else ''}"
            for name, value in zip(table["id"], table[column], strict=True)
        ]
        _dots(ax, shares, "each seed, reproduced" if number == 0 else "_", words)
    ax.plot(
        [1] * len(table), rows, "D", markerfacecolor="none", markeredgewidth=1.5, markersize=8,
        color=style.VERMILLION, label="published",
    )  # fmt: skip
    ax.axvline(0, color=style.MUTED, linewidth=1)
    _limits(ax, table, noise.tolist())
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_yticks(rows, [str(name).replace("-", " ") for name in table["id"]])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("difference, as a multiple of the published one (0: none)")
    columns = [("published", [as_published(value) for value in size], style.VERMILLION)]
    if table["single_seed_noise"].notna().any():
        seeds = [needed(value) for value in table["seeds_needed"]]
        columns.append(("seeds needed", seeds, style.INK))
    columns_beside(ax, columns, width=80)
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def _dots(ax: Axes, shares: list[float], label: str, words: list[str]) -> None:
    """Draw one seed's differences, those too far away as arrows at the edge."""
    inside = [share if abs(share) <= FURTHEST else float("nan") for share in shares]
    ax.plot(inside, range(len(shares)), "o", color=style.BLUE, markersize=5, label=label)
    for row, share in enumerate(shares):
        if abs(share) > FURTHEST:
            edge, marker = (FURTHEST, ">") if share > 0 else (-FURTHEST, "<")
            ax.plot(edge, row, marker, color=style.BLUE, markersize=6, clip_on=False)
    says_at(ax, [min(max(x, -FURTHEST), FURTHEST) for x in shares], range(len(shares)), words)


def _limits(ax: Axes, table: pd.DataFrame, noise: list[float]) -> None:
    """Show every seed and as much of the noise as fits."""
    shares = table[seed_columns(table)].div(table["published"], axis=0).stack()
    reached = [0.0, 1.0, *shares, *noise, *(-share for share in noise)]
    reached = [min(max(x, -FURTHEST), FURTHEST) for x in reached if x == x]
    ax.set_xlim(min(reached) - 0.15, max(reached) + 0.15)


def _nothing() -> Figure:
    """Return a figure that says why it is empty."""
    figure = Figure(figsize=(style.WIDTH, 0.8))
    figure.text(0.02, 0.5, "No published difference compares with these runs.", va="center")
    return figure


def describe(table: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    if table.empty:
        return f"{TITLE}. No published difference compares with these runs."
    parts = [f"{TITLE}. Each seed's difference beside the published one."]
    for row in table.to_dict("records"):
        name = str(row["id"]).replace("-", " ")
        seeds = [rounded(row[c]) for c in seed_columns(table) if row[c] == row[c]]
        words = f"{name}: published {as_published(row['published'])}, by seed {', '.join(seeds)}"
        if row["single_seed_noise"] == row["single_seed_noise"]:
            words += (
                f", luck of one seed {rounded(row['single_seed_noise'])}, "
                f"seeds needed {needed(row['seeds_needed'])}"
            )
        parts.append(f"{words}.")
    return " ".join(parts)
