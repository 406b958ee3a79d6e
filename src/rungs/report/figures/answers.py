"""Stage ``figure-answers``: how often a variant names the referent, the other noun, or neither."""

import pandas as pd
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import columns_beside, diverged_rows
from rungs.report.labels import as_sentence, diverged
from rungs.report.pointing import says, says_at, value_words
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
from rungs.tables.numbers import OVER_SEEDS, as_published, counted, estimate, rounded
from rungs.tables.reading import read_shown

SHARES = {
    "accuracy": ("the referent", style.BLUE),
    "wrong_noun": ("the other noun", style.ORANGE),
    "anything_else": ("anything else", style.RULE),
}
COLUMNS = (
    *("variant", "label", "seeds", "diverged", "chance", "accuracy_low", "accuracy_high"),
    *("accuracy_published", *SHARES),
)
ROW_HEIGHT = 0.42  # inches


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
        figure = draw(shown, read_seeds(observations, "accuracy"))
        style.save(figure, svg, png, title, describe(shown, title))
    return f"{svg}: {counted(len(shown), 'row')}"


def draw(table: pd.DataFrame, seeds: Seeds = NONE_KNOWN) -> Figure:
    """Return the figure: one bar a variant, divided by what it answers, beside chance.

    Args:
        table: an experiment's answers, rows from top to bottom; shares in percent.
        seeds: single accuracies, by variant.
    """
    figure = Figure(figsize=(style.WIDTH, 1.35 + ROW_HEIGHT * len(table)))
    ax = figure.subplots()
    rows = range(len(table))
    left = pd.Series(0.0, index=table.index)
    for column, (label, color) in SHARES.items():
        bars = ax.barh(rows, table[column], 0.66, left, color=color, edgecolor="white", label=label)
        for bar, name, share in zip(bars, table["label"], table[column], strict=True):
            says(bar, [f"{name}\n{label}: {_percent(share)} %"])
        left += table[column].fillna(0)
    if table["accuracy_low"].notna().any():
        low, high = table["accuracy_low"], table["accuracy_high"]
        ax.hlines(rows, low, high, color=style.INK, linewidth=1.6, label=OVER_SEEDS)
    singles = [several(seeds, variant) for variant in table["variant"]]
    draw_seeds(ax, [(x, row) for row, of in enumerate(singles) for x in of.values()], "|")
    if table["accuracy_published"].notna().any():
        ax.plot(
            table["accuracy_published"], rows, "D", markerfacecolor="white", markeredgewidth=1.5,
            markersize=7, color=style.VERMILLION, linestyle="none", clip_on=False,
            label="the referent, published",
        )  # fmt: skip
    for chance in table["chance"].dropna().unique():
        ax.axvline(chance, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
        ax.annotate(
            f"chance, {rounded(chance, 0)} %", (chance, 1), (4, 3), fontsize=9,
            xycoords=ax.get_xaxis_transform(), textcoords="offset points",
        )  # fmt: skip
    ax.set_xlim(0, 100)
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_yticks(rows, table["label"])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    ax.tick_params(axis="x", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    ax.set_xlabel("answers to held-out sentences, %")
    diverged_rows(ax, table["diverged"])
    columns = [("reproduced", [_percent(value) for value in table["accuracy"]], style.BLUE)]
    if table["accuracy_published"].notna().any():
        claimed = [as_published(value) for value in table["accuracy_published"]]
        columns.append(("published", claimed, style.VERMILLION))
    columns_beside(ax, columns)
    said = value_words(table, "label", "accuracy", "%")
    words = [one + seeds_in_words(of) for one, of in zip(said, singles, strict=True)]
    says_at(ax, table["accuracy"], rows, words)
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def _percent(value: float) -> str:
    return "" if pd.isna(value) else rounded(value, 1)


def describe(table: pd.DataFrame, title: str) -> str:
    """Return the figure's numbers in words."""
    parts = [f"{as_sentence(title)} Percent of held-out sentences whose referent is named."]
    for row in table.to_dict("records"):
        value = estimate(row["accuracy"], row["accuracy_low"], row["accuracy_high"], row["seeds"])
        published = as_published(row["accuracy_published"])
        parts.append(
            f"{row['label']}: {value or diverged(row['diverged'])}"
            f"{f', published {published}' if published else ''}"
            + (f"; the other noun {rounded(row['wrong_noun'], 1)}." if value else ".")
        )
    return " ".join(parts)
