"""Stage ``figure-cost``: memory and time of one attention layer against the number of tokens."""

import math
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rungs.report import style
from rungs.report.axes import logarithmic, ticks_at
from rungs.report.pointing import says_at, value_words
from rungs.report.style import Png, Svg
from rungs.tables.numbers import counted, rounded
from rungs.tables.reading import read_shown

COLUMNS = (
    "kernel",
    "tokens",
    "status",
    "milliseconds",
    "milliseconds_published",
    "peak_mib",
    "peak_mib_published",
)
EXPONENT_COLUMNS = ("kernel", "quantity", "exponent")
TITLE = "The cost of one attention layer"


class Panel(NamedTuple):
    """One quantity of the cost table, and how its axes are named."""

    quantity: str
    title: str
    unit: str


PANELS = (
    Panel("peak_mib", "Peak memory, MiB", "MiB"),
    Panel("milliseconds", "Time of one forward pass, ms", "ms"),
)


def run(
    *,
    table: Annotated[Path, "memory.csv"],
    exponents: Annotated[Path, "exponents.csv"],
    memory_budget_mib: Annotated[float, "above it, a point did not run"],
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    costs = read_shown(table, COLUMNS)
    fits = read_shown(exponents, EXPONENT_COLUMNS, may_be_empty=True)
    with style.styled():
        figure = draw(costs, fits, memory_budget_mib)
        style.save(figure, svg, png, TITLE, describe(costs, fits))
    return f"{svg}: {counted(len(costs), 'point')}"


def draw(costs: pd.DataFrame, exponents: pd.DataFrame, memory_budget_mib: float) -> Figure:
    """Return the figure: two panels, memory and time, all axes logarithmic.

    Args:
        costs: the cost table.
        exponents: the fitted exponents, written beside the kernels' names.
        memory_budget_mib: marked by a line; points that exceed it are crosses on it.
    """
    figure = Figure(figsize=(style.WIDTH, 3.9))
    for ax, panel in zip(figure.subplots(1, 2), PANELS, strict=True):
        _panel(ax, panel, costs, exponents)
        values = [*costs[panel.quantity].dropna(), *costs[f"{panel.quantity}_published"].dropna()]
        if panel.quantity == "peak_mib":
            values.append(memory_budget_mib)
            _budget(ax, costs, memory_budget_mib)
        if values:
            logarithmic(ax, "y", values)
    figure.legend(handles=_key(costs), loc="outside lower left", ncols=3)
    return figure


def _panel(ax: Axes, panel: Panel, costs: pd.DataFrame, exponents: pd.DataFrame) -> None:
    fitted = exponents[exponents["quantity"] == panel.quantity].set_index("kernel")["exponent"]
    for index, (kernel, rows) in enumerate(costs.groupby("kernel", sort=False)):
        look = style.line_style(index)
        name = str(kernel).replace("_", " ")
        if kernel in fitted.index:
            name += f"  $n^{{{fitted[kernel]:.2f}}}$"
        ax.plot(rows["tokens"], rows[panel.quantity], **look, markersize=5, label=name)
        named = [f"{str(kernel).replace('_', ' ')}, {tokens:,} tokens" for tokens in rows["tokens"]]
        words = value_words(rows.assign(named=named), "named", panel.quantity, panel.unit)
        says_at(ax, rows["tokens"], rows[panel.quantity], words)
        ax.plot(
            rows["tokens"], rows[f"{panel.quantity}_published"], linestyle="", marker="o",
            markersize=9.5, markerfacecolor="none", markeredgewidth=1.4, color=look["color"],
        )  # fmt: skip
    sizes = sorted(costs["tokens"].unique())
    ticks_at(ax, "x", sizes)
    # Every second size, counted from the largest: eight five-digit numbers do not fit.
    shown = set(sizes[::-1][:: 1 if len(sizes) < 5 else 2])
    ax.set_xticks(sizes, [f"{size:,}" if size in shown else "" for size in sizes])
    ax.set_xlabel("tokens, n")
    kernels = costs["kernel"].nunique()
    # Above the axes, where neither a line nor the budget can run through it.
    legend = ax.legend(loc="lower left", bbox_to_anchor=(-0.03, 0.98), ncols=2, borderpad=0.2)
    for text in legend.get_texts():
        text.set_parse_math(True)
    ax.set_title(panel.title, pad=10 + 15 * math.ceil(kernels / 2))


def _budget(ax: Axes, costs: pd.DataFrame, memory_budget_mib: float) -> None:
    ax.axhline(memory_budget_mib, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
    exceeded = costs[costs["status"] == "out_of_memory"]
    for index, (kernel, _) in enumerate(costs.groupby("kernel", sort=False)):
        sizes = exceeded.loc[exceeded["kernel"] == kernel, "tokens"]
        if sizes.empty:  # an empty line that is not clipped confuses the layout
            continue
        ax.plot(
            sizes, [memory_budget_mib] * len(sizes), "x", color=style.line_style(index)["color"],
            markersize=10, markeredgewidth=2.5, clip_on=False,
        )  # fmt: skip


def _key(costs: pd.DataFrame) -> list[Line2D]:
    """Return the legend's entries for the marks that are there."""
    key = []
    if costs[["peak_mib_published", "milliseconds_published"]].notna().any(axis=None):
        key.append(
            Line2D([], [], color=style.MUTED, linestyle="", marker="o", markersize=9,
                   markerfacecolor="none", markeredgewidth=1.4, label="published")
        )  # fmt: skip
    key.append(
        Line2D([], [], color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2, label="memory budget")
    )
    if (costs["status"] == "out_of_memory").any():
        key.append(
            Line2D([], [], color=style.MUTED, linestyle="", marker="x", markersize=8,
                   markeredgewidth=2.5, label="out of memory, not run")
        )  # fmt: skip
    return key


def describe(costs: pd.DataFrame, exponents: pd.DataFrame) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE} against the number of tokens n, both panels logarithmic."]
    for kernel, rows in costs.groupby("kernel", sort=False):
        for panel in PANELS:
            ran = rows.dropna(subset=[panel.quantity])
            if ran.empty:
                continue
            first, last = ran.iloc[0], ran.iloc[-1]
            fitted = exponents[
                (exponents["kernel"] == kernel) & (exponents["quantity"] == panel.quantity)
            ]
            growth = "".join(f", growing as n^{value:.2f}" for value in fitted["exponent"])
            ends = (
                f"{rounded(row[panel.quantity])} {panel.unit} at {row['tokens']:,} tokens"
                for row in (first, last)
            )
            parts.append(f"{kernel}: {' and '.join(ends)}{growth}.")
        parts += [
            f"{kernel}: out of memory at {tokens:,} tokens."
            for tokens in rows.loc[rows["status"] == "out_of_memory", "tokens"]
        ]
    return " ".join(parts)
