"""Stage ``figure-steps``: the validation loss at several steps, one line a variant."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import (
    has_published,
    label_line_ends,
    line_labels,
    logarithmic,
    published_key,
    published_marks,
)
from rungs.report.labels import as_sentence
from rungs.report.pointing import curve, says_at, value_words
from rungs.report.single_seeds import (
    NONE_KNOWN,
    Observations,
    Seeds,
    draw_seeds,
    read_seeds,
    seeds_in_words,
    several,
)
from rungs.report.style import ExperimentTable, Png, Svg, Title
from rungs.tables.numbers import as_published, counted, rounded
from rungs.tables.reading import read_shown

METRIC = "validation_loss"
COLUMNS = (
    *("variant", "label", "step", "seeds", "diverged"),
    *(METRIC + end for end in ("", "_low", "_high")),
)
HEIGHT = 3.8  # inches


def run(
    *,
    table: ExperimentTable,
    observations: Observations,
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    with style.styled():
        words = describe(shown, title)
        figure = draw(shown, read_seeds(observations, METRIC, "step"))
        style.save(figure, svg, png, title, words)
    return f"{svg}: {counted(shown['variant'].nunique(), 'line')}"


def draw(table: pd.DataFrame, seeds: Seeds = NONE_KNOWN) -> Figure:
    """Return the figure: loss on a log axis against the step.

    Args:
        table: a row for each variant and step, in nats per token.
        seeds: single values, by variant and step.
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    ax = figure.subplots()
    lines = list(table.groupby("variant", sort=False))
    for index, (_, line) in enumerate(lines):
        look = style.line_style(index)
        with curve(ax, line_labels([line])[0]):
            _line(ax, line, look, seeds)
    steps = sorted(table["step"].unique())
    ax.set_xticks(steps, [f"{step:,}" for step in steps])
    ax.set_xlim(0, steps[-1] * 1.02)
    values = list(table[METRIC].dropna())
    if has_published(table, METRIC):
        values += list(table[f"{METRIC}_published"].dropna())
        figure.legend(handles=[published_key()], loc="outside upper left")
    ends = [*table[f"{METRIC}_low"].dropna(), *table[f"{METRIC}_high"].dropna()]
    logarithmic(ax, "y", values, ends)
    ax.tick_params(length=0)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("training step")
    ax.set_ylabel("validation loss, nats per token (log scale)")
    label_line_ends(
        ax,
        line_labels(line for _, line in lines),
        [line[METRIC].iloc[-1] for _, line in lines],
        [style.line_style(index)["color"] for index in range(len(lines))],
        HEIGHT - 0.9,
    )
    return figure


def _line(ax: Axes, line: pd.DataFrame, look: dict[str, Any], seeds: Seeds) -> None:
    ax.plot(line["step"], line[METRIC], **look, markersize=5)
    singles = [several(seeds, *key) for key in zip(line["variant"], line["step"], strict=True)]
    each = [(x, y) for x, of in zip(line["step"], singles, strict=True) for y in of.values()]
    draw_seeds(ax, each, "_", look["color"])
    named = [f"{of}, step {at:,}" for of, at in zip(line["label"], line["step"], strict=True)]
    said = value_words(line.assign(named=named), "named", METRIC, "nats per token")
    words = [one + seeds_in_words(of) for one, of in zip(said, singles, strict=True)]
    says_at(ax, line["step"], line[METRIC], words)
    ax.vlines(
        line["step"], line[f"{METRIC}_low"], line[f"{METRIC}_high"], color=look["color"],
        linewidth=1.2,
    )  # fmt: skip
    if has_published(line, METRIC):
        published = line[f"{METRIC}_published"]
        published_marks(ax, line["step"], published, look["color"], look["marker"])


def describe(table: pd.DataFrame, title: str) -> str:
    """Return the figure's numbers in words."""
    parts = [
        as_sentence(title),
        "Validation loss in nats per token at each step, mean over seeds.",
    ]
    for _, line in table.groupby("variant", sort=False):
        points = []
        for row in line.to_dict("records"):
            published = as_published(row.get(f"{METRIC}_published", float("nan")))
            note = f" (published {published})" if published else ""
            value = "nothing" if pd.isna(row[METRIC]) else rounded(row[METRIC])
            points.append(f"{value}{note} at step {row['step']:,}")
        parts.append(f"{line_labels([line])[0]}: {', '.join(points)}.")
    return " ".join(parts)
