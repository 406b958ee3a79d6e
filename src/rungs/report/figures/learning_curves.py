"""Stage ``figure-learning-curves``: validation loss against step, one line a variant."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import label_line_ends
from rungs.report.labels import as_sentence
from rungs.report.style import Labels, Png, Svg, Title
from rungs.tables.histories import read_history
from rungs.tables.numbers import counted

METRIC = "validation_loss"
HEIGHT = 4.6  # inches
SHOWN_SPAN = 0.8
"""Nats above the worst final loss that are shown: the first steps would flatten all the rest."""


def run(
    *,
    histories: Annotated[
        Sequence[Path], "the experiment's .../VARIANT/seedSEED/history.jsonl, variants in order"
    ],
    labels: Labels,
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a history cannot be read, or a file cannot be written.
    """
    curves = read_curves(histories, labels)
    with style.styled():
        figure = draw(curves)
        style.save(figure, svg, png, title, describe(curves, title))
    return f"{svg}: {counted(len(histories), 'run')}"


def read_curves(histories: Sequence[Path], labels: dict[str, str]) -> pd.DataFrame:
    """Return the histories one below the other, with the variant and seed of their addresses.

    Raises:
        UserError: a history cannot be read.
    """
    curves = [
        read_history(path).assign(variant=path.parts[-3], seed=path.parts[-2]) for path in histories
    ]
    together = pd.concat(curves, ignore_index=True)
    together["label"] = together["variant"].map(lambda variant: labels.get(variant, variant))
    return together


def draw(curves: pd.DataFrame) -> Figure:
    """Return the figure: the mean over seeds of each variant, its seeds as thin lines.

    Args:
        curves: columns variant, label, seed, step, validation_loss (nats per token).
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    ax = figure.subplots()
    variants = curves["variant"].unique()
    ends = []
    for index, variant in enumerate(variants):
        rows = curves[curves["variant"] == variant]
        look = {key: value for key, value in style.line_style(index).items() if key != "marker"}
        mean = rows.groupby("step")[METRIC].mean()
        ends.append(float(mean.iloc[-1]))
        for _, run in rows.groupby("seed"):
            ax.plot(
                run["step"],
                run[METRIC],
                **look | {"linestyle": "-", "linewidth": 0.6, "alpha": 0.5},
            )
        ax.plot(mean.index, mean, **look)
    ax.set_xlim(0, curves["step"].max())
    lowest, highest = curves[METRIC].min(), curves[METRIC].max()
    top = min(highest, max(ends) + SHOWN_SPAN)
    ax.set_ylim(lowest - 0.05 * (top - lowest), top + 0.02 * (top - lowest))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.tick_params(length=0)
    ax.set_xlabel("training step")
    ax.set_ylabel("validation loss, nats per token")
    labels = [curves.loc[curves["variant"] == variant, "label"].iloc[0] for variant in variants]
    colors = [style.line_style(index)["color"] for index in range(len(variants))]
    label_line_ends(ax, labels, ends, colors, HEIGHT - 0.7)
    return figure


def describe(curves: pd.DataFrame, title: str) -> str:
    """Return the figure's numbers in words."""
    parts = [
        as_sentence(title),
        "Validation loss in nats per token against training step, mean over seeds.",
    ]
    for _, rows in curves.groupby("variant", sort=False):
        mean = rows.groupby("step")[METRIC].mean()
        parts.append(
            f"{rows['label'].iloc[0]}: {mean.iloc[0]:.2f} at step {mean.index[0]:,}, "
            f"{mean.iloc[-1]:.2f} at step {mean.index[-1]:,}."
        )
    return " ".join(parts)
