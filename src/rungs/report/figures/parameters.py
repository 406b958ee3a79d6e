"""Stage ``figure-parameters``: where a model's parameters are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from rungs.errors import UserError
from rungs.report import style
from rungs.report.pointing import says
from rungs.report.style import Png, Svg
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

COLUMNS = ("model", "label", "component", "parameters", "share")
TOTAL = "total"
TITLE = "Where the parameters are"
LABELLED_SHARE = 0.06
"""A narrower segment has no room for its percentage."""


def run(
    *,
    table: Annotated[Path, "parameters.csv"],
    models: Annotated[Sequence[str], "models to draw, in order"],
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written, or the table lacks a model.
    """
    shown = read_shown(table, COLUMNS)
    for model in models:
        if model not in set(shown["model"]):
            known = ", ".join(shown["model"].unique())
            raise UserError(f"{table}: has no model {model}; it has {known}")
    chosen = [shown[shown["model"] == model] for model in models]
    with style.styled():
        style.save(draw(chosen), svg, png, TITLE, describe(chosen))
    return f"{svg}: {counted(len(chosen), 'model')}"


def draw(models: list[pd.DataFrame]) -> Figure:
    """Return the figure: one stacked bar of shares a model.

    Args:
        models: each model's rows of the parameter table.
    """
    figure = Figure(figsize=(style.WIDTH, 1.15 + 0.62 * len(models)))
    ax = figure.subplots()
    named = pd.concat(models)["component"].unique()
    components = [str(name) for name in named if name != TOTAL]
    colors = dict(zip(components, style.PALETTE, strict=False))
    names = []
    for row, model in enumerate(models):
        counts = model.set_index("component")
        names.append(f"{counts['label'].tolist()[0]}\n{int(counts['parameters'][TOTAL]):,}")
        left = 0.0
        for component in components:
            share = counts["share"].get(component, 0.0)
            label = component if row == 0 else None
            (bar,) = ax.barh(
                row, share, 0.62, left, color=colors[component], edgecolor="white", label=label
            )
            count = int(counts["parameters"].get(component, 0))
            says(bar, [f"{component}\n{count:,} parameters, {100 * share:.1f} %"])
            if share >= LABELLED_SHARE:
                ax.text(
                    left + share / 2, row, f"{100 * share:.0f} %", ha="center",
                    va="center_baseline", color=style.text_on(colors[component]), fontweight="bold",
                )  # fmt: skip
            left += share
    ax.set_yticks(range(len(models)), names)
    ax.set_ylim(len(models) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.set_xticks([])
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def describe(models: list[pd.DataFrame]) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{TITLE}, as shares of each model."]
    for model in models:
        counts = model.set_index("component")
        shares = ", ".join(
            f"{component} {100 * row['share']:.1f} %"
            for component, row in counts.iterrows()
            if component != TOTAL
        )
        label, total = counts["label"].tolist()[0], int(counts["parameters"][TOTAL])
        parts.append(f"{label}, {total:,} parameters: {shares}.")
    return " ".join(parts)
