"""Stage ``figure-lengths``: an experiment at several context lengths, one line a variant."""

from typing import Annotated, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rungs.report import style
from rungs.report.axes import (
    has_published,
    label_line_ends,
    line_labels,
    logarithmic,
    published_key,
    published_marks,
    ticks_at,
)
from rungs.report.labels import as_sentence
from rungs.report.pointing import curve, says_at, value_words
from rungs.report.single_seeds import (
    NONE_KNOWN,
    Observations,
    Seeds,
    draw_seeds,
    read_seeds,
    seed_key,
    seeds_in_words,
    several,
)
from rungs.report.style import ExperimentTable, Png, Svg, Title
from rungs.tables.numbers import OVER_SEEDS, as_published, counted, rounded
from rungs.tables.reading import read_shown

METRIC = "perplexity"
COLUMNS = (
    "variant",
    "label",
    "context_length",
    "seeds",
    "diverged",
    METRIC,
    f"{METRIC}_low",
    f"{METRIC}_high",
    f"{METRIC}_published",
)
HEIGHT = 4.2  # inches
DODGE = 0.008
"""Lines that meet are set apart by this fraction of the axis, so that intervals stay visible."""


def run(
    *,
    table: ExperimentTable,
    observations: Observations,
    trained_length: Annotated[int, "tokens per training window"],
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    shown = read_shown(table, COLUMNS)
    seeds = read_seeds(observations, METRIC, "context_length")
    with style.styled():
        figure = draw(shown, trained_length, seeds)
        words = describe(shown, title, trained_length)
        style.save(figure, svg, png, title, words)
    return f"{svg}: {counted(shown['variant'].nunique(), 'line')}"


def draw(table: pd.DataFrame, trained_length: int, seeds: Seeds = NONE_KNOWN) -> Figure:
    """Return the figure: perplexity against context length, both axes logarithmic.

    Args:
        table: an experiment's table, a row for each variant and context length.
        trained_length: tokens per training window, marked by a vertical line.
        seeds: single values, by variant and context length.
    """
    figure = Figure(figsize=(style.WIDTH, HEIGHT))
    ax = figure.subplots()
    lengths = sorted(table["context_length"].unique())
    lines = list(table.groupby("variant", sort=False))
    span = max(lengths[-1] / lengths[0], 2)
    for index, (_, line) in enumerate(lines):
        shift = span ** (DODGE * (index - (len(lines) - 1) / 2))
        with curve(ax, line_labels([line])[0]):
            _line(ax, line.sort_values("context_length"), style.line_style(index), shift, seeds)
    ax.axvline(trained_length, color=style.MUTED, linestyle=(0, (4, 2)), linewidth=1.2, zorder=0)
    ax.annotate(
        f"trained on {trained_length} tokens", (trained_length, 1), (0, 4),
        xycoords=ax.get_xaxis_transform(), textcoords="offset points", color=style.MUTED,
        fontsize=9, ha="left" if trained_length <= lengths[0] else "center",
    )  # fmt: skip

    ticks_at(ax, "x", sorted({*lengths, trained_length}))
    ax.set_xlim(min(*lengths, trained_length) / span**0.04, lengths[-1] * span**0.03)
    values = [*table[METRIC].dropna(), *table[f"{METRIC}_published"].dropna()]
    ends = [*table[f"{METRIC}_low"].dropna(), *table[f"{METRIC}_high"].dropna()]
    logarithmic(ax, "y", values, ends)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("context length, tokens")
    ax.set_ylabel("validation perplexity (log scale)")
    label_line_ends(
        ax,
        line_labels(line for _, line in lines),
        [line.sort_values("context_length")[METRIC].iloc[-1] for _, line in lines],
        [style.line_style(index)["color"] for index in range(len(lines))],
        HEIGHT - 1.2,
    )
    if has_published(table, METRIC):
        intervals = bool(table[f"{METRIC}_low"].notna().any())
        reproduced = f"reproduced, {OVER_SEEDS}" if intervals else "reproduced"
        keys = [Line2D([], [], color=style.MUTED, marker="o", label=reproduced), published_key()]
        if any(len(values) > 1 for values in seeds.values()):
            keys.insert(1, seed_key())
        figure.legend(handles=keys, loc="outside upper left", ncols=3)
    return figure


def _line(ax: Axes, line: pd.DataFrame, look: dict[str, Any], shift: float, seeds: Seeds) -> None:
    lengths = line["context_length"] * shift
    singles = [
        several(seeds, *key) for key in zip(line["variant"], line["context_length"], strict=True)
    ]
    each = [(x, y) for x, of in zip(lengths, singles, strict=True) for y in of.values()]
    draw_seeds(ax, each, "_", look["color"])
    ax.plot(lengths, line[METRIC], **look, markersize=5)
    ax.vlines(
        lengths, line[f"{METRIC}_low"], line[f"{METRIC}_high"], color=look["color"], linewidth=1.2
    )
    published_marks(ax, lengths, line[f"{METRIC}_published"], look["color"])
    named = line.assign(
        named=[
            f"{label}, {tokens} tokens"
            for label, tokens in zip(line["label"], line["context_length"], strict=True)
        ]
    )
    words = [
        said + seeds_in_words(of)
        for said, of in zip(value_words(named, "named", METRIC), singles, strict=True)
    ]
    says_at(ax, lengths, line[METRIC], words)


def describe(table: pd.DataFrame, title: str, trained_length: int) -> str:
    """Return the figure's numbers in words."""
    parts = [
        as_sentence(title),
        f"Validation perplexity by context length, trained on {trained_length}.",
    ]
    for _, line in table.groupby("variant", sort=False):
        points = []
        for row in line.sort_values("context_length").to_dict("records"):
            published = as_published(row[f"{METRIC}_published"])
            note = f" (published {published})" if published else ""
            value = "nothing" if pd.isna(row[METRIC]) else rounded(row[METRIC])
            points.append(f"{value}{note} at {row['context_length']}")
        parts.append(f"{line_labels([line])[0]}: {', '.join(points)}.")
    return " ".join(parts)
