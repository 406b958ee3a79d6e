"""Stage ``figure-learning-curves``: validation loss against step, one line a variant."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from rungs.reading import read_object
from rungs.report import style
from rungs.report.axes import label_line_ends
from rungs.report.labels import as_sentence, diverged
from rungs.report.pointing import curve, says_at
from rungs.report.style import Labels, Png, Svg, Title
from rungs.tables.histories import read_history
from rungs.tables.numbers import counted, rounded

METRIC = "validation_loss"
HEIGHT = 4.6  # inches
SHOWN_SPAN = 0.8
"""Nats above the worst final loss that are shown: the first steps would flatten all the rest."""


def run(
    *,
    histories: Annotated[
        Sequence[Path], "the experiment's .../VARIANT/seedSEED/history.jsonl, variants in order"
    ],
    descriptions: Annotated[Sequence[Path], "their run.json, in the same order"],
    labels: Labels,
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a history cannot be read, or a file cannot be written.
    """
    ends = {path.parent: read_object(path).get("diverged_at_step") for path in descriptions}
    curves = read_curves(histories, labels, ends)
    with style.styled():
        figure = draw(curves)
        style.save(figure, svg, png, title, describe(curves, title))
    return f"{svg}: {counted(len(histories), 'run')}"


def read_curves(
    histories: Sequence[Path], labels: dict[str, str], ends: Mapping[Path, int | None]
) -> pd.DataFrame:
    """Return the histories one below the other, with the variant and seed of their addresses.

    Args:
        histories: files in the folders of runs.
        labels: by variant.
        ends: by folder, the step at which a run diverged: one more row, without any other number.

    Raises:
        UserError: a history cannot be read.
    """
    curves = []
    for path in histories:
        curve = read_history(path)
        if step := ends.get(path.parent):
            curve.loc[len(curve), "step"] = step
        curves.append(curve.assign(variant=path.parts[-3], seed=path.parts[-2]))
    together = pd.concat(curves, ignore_index=True).astype({"step": int, METRIC: float})
    together["label"] = together["variant"].map(lambda variant: labels.get(variant, variant))
    return together


def mean_over_seeds(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Return a variant's mean by step, as far as every seed has come: never of survivors."""
    by_step = rows.groupby("step")[metric]
    return by_step.mean()[by_step.count() == rows["seed"].nunique()]


def called(rows: pd.DataFrame) -> str:
    """Return a variant's label, and that it diverged where a run of it did."""
    steps = [f"at step {step}" for step in rows.loc[rows[METRIC].isna(), "step"]]
    return ", ".join(filter(None, (rows["label"].iloc[0], diverged(" ".join(steps)))))


def draw(curves: pd.DataFrame) -> Figure:
    """Return the figure: the mean over seeds of each variant, its seeds as thin lines.

    Args:
        curves: columns variant, label, seed, step, validation_loss (nats per token); without a
            loss where a run diverged, which is marked at the height of its last loss.
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    ax = figure.subplots()
    variants = curves["variant"].unique()
    labels = [called(curves[curves["variant"] == variant]) for variant in variants]
    ends, means = [], []
    for index, variant in enumerate(variants):
        rows = curves[curves["variant"] == variant]
        look = {key: value for key, value in style.line_style(index).items() if key != "marker"}
        mean = mean_over_seeds(rows, METRIC)
        ends.append(float(mean.iloc[-1]) if len(mean) else math.nan)
        means.append(mean)
        with curve(ax, labels[index]):
            for _, run in rows.groupby("seed"):
                thin = look | {"linestyle": "-", "linewidth": 0.6, "alpha": 0.5}
                ax.plot(run["step"], run[METRIC], **thin)
            ax.plot(mean.index, mean, **look)
    ax.set_xlim(0, curves["step"].max())
    ended = curves[curves[METRIC].isna()]
    settled = [
        end
        for variant, end in zip(variants, ends, strict=True)
        if variant not in set(ended["variant"])
    ]
    if settled:
        lowest, highest = curves[METRIC].min(), curves[METRIC].max()
        top = min(highest, max(settled) + SHOWN_SPAN)
        ax.set_ylim(lowest - 0.05 * (top - lowest), top + 0.02 * (top - lowest))
    edge = ax.get_ylim()[1]
    for label, mean in zip(labels, means, strict=True):
        shown = mean[mean <= edge]
        words = [f"{label}, step {step:,}\n{rounded(loss)}" for step, loss in shown.items()]
        with curve(ax, label):
            says_at(ax, shown.index, shown, words)
    for variant, seed, step in zip(ended["variant"], ended["seed"], ended["step"], strict=True):
        run = curves[(curves["variant"] == variant) & (curves["seed"] == seed)]
        losses = run[METRIC].dropna()
        height = min(edge, losses.iloc[-1]) if len(losses) else edge
        color = style.line_style(list(variants).index(variant))["color"]
        ax.plot(step, height, "X", color=color, clip_on=False)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.tick_params(length=0)
    ax.set_xlabel("training step")
    ax.set_ylabel("validation loss, nats per token")
    ends = [edge if math.isnan(end) else min(end, edge) for end in ends]
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
        mean = mean_over_seeds(rows, METRIC)
        points = [f"{mean[step]:.2f} at step {step:,}" for step in mean.index[[0, -1][: len(mean)]]]
        parts.append(f"{called(rows)}: {', '.join(points) or 'nothing'}.")
    return " ".join(parts)
