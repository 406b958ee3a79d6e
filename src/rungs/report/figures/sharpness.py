"""Stage ``figure-sharpness``: the spread of scores and the tokens attended to, through training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from rungs.report import style
from rungs.report.axes import label_line_ends, line_labels, logarithmic
from rungs.report.figures.learning_curves import mean_over_seeds, read_curves
from rungs.report.pointing import curve, says_at
from rungs.report.style import ExperimentTable, Png, Svg, Title
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

COLUMNS = ("variant", "label", "diverged", "score_std_at_start_published", "score_std_published")
HEIGHT = 6.4  # inches, both panels


def run(
    *,
    histories: Annotated[
        Sequence[Path], "of the runs that were observed, .../VARIANT/seedSEED/history.jsonl"
    ],
    table: ExperimentTable,
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a history or the table cannot be read, or a file cannot be written.
    """
    shown = read_shown(table, COLUMNS).drop_duplicates("variant").set_index("variant")
    labels = dict(
        zip(shown.index, line_labels(shown.loc[[name]] for name in shown.index), strict=True)
    )
    curves = read_curves(histories, labels, {})
    curves = curves.dropna(subset=["score_std"])
    curves["effective_tokens"] = np.exp(curves["attention_entropy"])
    with style.styled():
        figure = draw(curves, shown)
        words = describe(curves, shown, title)
        style.save(figure, svg, png, title, words)
    return f"{svg}: {counted(len(histories), 'run')}"


def draw(curves: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Return the figure: two panels against the training step, both on a log axis.

    Args:
        curves: columns variant, label, seed, step, score_std, effective_tokens.
        table: by variant, the published score_std at the start and at the end, where there is one.
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.set_title("Standard deviation of the scores")
    lower.set_title("Tokens a row averages over, exp(entropy)")
    _lines(upper, curves, "score_std", table["diverged"], table["score_std_published"])
    _lines(lower, curves, "effective_tokens", table["diverged"])
    last = curves["step"].max()
    for column, step in (("score_std_at_start_published", 0), ("score_std_published", last)):
        published = table[column].dropna()
        if published.empty:  # marks that may leave the axes take their place in the layout
            continue
        upper.plot(
            [step] * len(published), published, "D", markerfacecolor="none", markeredgewidth=1.5,
            markersize=8, color=style.VERMILLION, clip_on=False, zorder=3,
            label="published" if step else None,
        )  # fmt: skip
    lower.set_xlim(-0.01 * last, last)
    lower.set_xlabel("training step")
    lower.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], integer=True))
    lower.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if table["score_std_published"].notna().any():
        upper.legend(loc="upper left")
    return figure


def _lines(
    ax: Axes,
    curves: pd.DataFrame,
    metric: str,
    ended: pd.Series,
    published: pd.Series | None = None,
) -> None:
    """Draw the mean over seeds of each variant, its seeds as thin lines.

    Args:
        ax: the axes.
        curves: as of :func:`draw`.
        metric: one of its columns.
        ended: which seeds of each variant diverged; the last that is known of them is marked.
        published: numbers beside the lines, which the axis shows too.
    """
    groups = list(curves.groupby("variant", sort=False))
    ends = []
    for index, (variant, rows) in enumerate(groups):
        look = {key: value for key, value in style.line_style(index).items() if key != "marker"}
        mean = mean_over_seeds(rows, metric)
        ends.append(float(mean.iloc[-1]))
        label = rows["label"].iloc[0]
        with curve(ax, label):
            for name, seed in rows.groupby("seed"):
                thin = look | {"linestyle": "-", "linewidth": 0.6, "alpha": 0.5}
                ax.plot(seed["step"], seed[metric], **thin)
                if f"seed {str(name).removeprefix('seed')} at" in ended[variant]:
                    ax.plot(seed["step"].iloc[-1], seed[metric].iloc[-1], "X", color=look["color"])
            ax.plot(mean.index, mean, **look)
            words = [f"{label}, step {step:,}\n{rounded(value)}" for step, value in mean.items()]
            says_at(ax, mean.index, mean, words)
    marks = [] if published is None else [*published.dropna()]
    logarithmic(ax, "y", [*curves[metric], *marks])
    labels = [rows["label"].iloc[0] for _, rows in groups]
    colors = [style.line_style(index)["color"] for index in range(len(groups))]
    label_line_ends(ax, labels, ends, colors, HEIGHT / 2 - 0.8)


def describe(curves: pd.DataFrame, table: pd.DataFrame, title: str) -> str:
    """Return the figure's numbers in words."""
    parts = [
        f"{title} Standard deviation of the scores before and after training, mean over seeds."
    ]
    for variant, rows in curves.groupby("variant", sort=False):
        assert isinstance(variant, str)
        spread, tokens = (mean_over_seeds(rows, m) for m in ("score_std", "effective_tokens"))
        published = as_published(float(table["score_std_published"][variant]))
        note = f" (published {published})" if published else ""
        parts.append(
            f"{rows['label'].iloc[0]}: {rounded(spread.iloc[0])} to {rounded(spread.iloc[-1])}"
            f"{note}, and from {rounded(tokens.iloc[0])} to {rounded(tokens.iloc[-1])} tokens."
        )
    return " ".join(parts)
