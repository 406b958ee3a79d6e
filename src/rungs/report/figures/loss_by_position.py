"""Stage ``figure-loss-by-position``: where in a window a longer view helps."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import label_line_ends, line_labels, ticks_at
from rungs.report.labels import as_sentence, diverged
from rungs.report.pointing import curve, says_at
from rungs.report.style import Png, Svg, Title
from rungs.tables.numbers import counted, rounded
from rungs.tables.reading import read_shown

COLUMNS = ("variant", "label", "position", "diverged", "loss", "reference", "improvement")
HEIGHT = 5.4  # inches
SHARE = 1.19
"""From one group of positions to the next: 2^(1/4), four groups a doubling."""


def run(*, table: Annotated[Path, "loss_by_position.csv"], title: Title, svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    with style.styled():
        words = describe(shown, title)
        style.save(draw(shown), svg, png, f"{title}: loss by position", words)
    return f"{svg}: {counted(shown['variant'].nunique(), 'line')}"


def grouped(rows: pd.DataFrame, column: str) -> pd.Series:
    """Return means over groups of neighbouring positions, ever wider, by their mean position.

    A position of few windows is noisy, and late ones are many on a log axis.
    """
    groups, end, number = [], 1.0, 0
    for position in rows["position"]:
        if position > end:
            number, end = number + 1, max(position, end * SHARE)
        groups.append(number)
    means = rows[["position", column]].groupby(groups).mean()
    return means.set_index("position")[column]


def draw(table: pd.DataFrame) -> Figure:
    """Return the figure: each variant's loss, and below what it gains on its reference.

    Args:
        table: a row for each variant and position, in nats per token.
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    variants = list(table["variant"].unique())
    _lines(above, table, "loss", variants, variants)
    above.set_ylabel("validation loss, nats per token")
    above.set_title("Loss at each position of a window")
    gaining = [name for name in variants if table[table["variant"] == name]["improvement"].any()]
    below.axhline(0, color=style.MUTED, linewidth=0.8)
    _lines(below, table, "improvement", variants, gaining)
    below.set_ylabel("nats per token gained")
    below.set_title("Gained on the row it is compared with")
    last = int(table["position"].max())
    ticks_at(below, "x", [2**power for power in range(last.bit_length())])
    below.set_xlim(0.95, last * 1.03)
    below.set_xlabel("tokens read (log scale)")
    return figure


def _lines(
    ax: Axes, table: pd.DataFrame, column: str, variants: list[str], shown: list[str]
) -> None:
    """Draw every position thinly and the means of groups boldly."""
    labels, ends, colors = [], [], []
    for variant in shown:
        rows = table[table["variant"] == variant]
        look = style.line_style(variants.index(variant))
        look.pop("marker")
        means = grouped(rows, column)
        labels += line_labels([rows])
        with curve(ax, labels[-1]):
            thin = look | {"linestyle": "-", "linewidth": 0.6, "alpha": 0.35}
            ax.plot(rows["position"], rows[column], **thin)
            ax.plot(means.index, means, **look)
            words = [f"{labels[-1]}, {at:.0f} tokens read\n{rounded(x)}" for at, x in means.items()]
            says_at(ax, means.index, means, words)
        ends.append(float(means.iloc[-1]))
        colors.append(look["color"])
    ax.tick_params(length=0)
    ax.grid(axis="x", visible=False)
    ax.set_ylim(*ax.get_ylim())  # final, as the labels need it
    label_line_ends(ax, labels, ends, colors, HEIGHT * (0.5 if column == "loss" else 0.3))


def describe(table: pd.DataFrame, title: str) -> str:
    """Return the figure's numbers in words."""
    parts = [
        as_sentence(title),
        "Validation loss in nats per token by position, means of groups.",
    ]
    for _, rows in table.groupby("variant", sort=False):
        if diverged(rows["diverged"].iloc[0]):
            parts += [f"{label}." for label in line_labels([rows])]
            continue
        means = grouped(rows, "loss")
        words = f"{rounded(means.iloc[0])} after 1 token, {rounded(means.iloc[-1])} at the end"
        if rows["improvement"].any():
            gains = grouped(rows, "improvement")
            words += (
                f"; gained {rounded(gains.iloc[0])} after 1 token, "
                f"{rounded(gains.iloc[-1])} at the end"
            )
        parts.append(f"{rows['label'].iloc[0]}: {words}.")
    return " ".join(parts)
