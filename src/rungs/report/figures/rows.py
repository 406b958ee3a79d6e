"""Stage ``figure-rows``: an experiment at one context length, one row a variant."""

import math
from pathlib import Path
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from rungs.files import read_json
from rungs.reading import reading
from rungs.report import style
from rungs.report.axes import columns_beside, diverged_rows, logarithmic
from rungs.report.labels import METRICS, as_sentence, diverged
from rungs.report.pointing import says_at, value_words
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

ROW_HEIGHT = 0.33  # inches


def run(
    *,
    table: ExperimentTable,
    observations: Observations,
    corpus: Annotated[Path, "the corpus's summary.json"],
    metric: Annotated[str, " or ".join(METRICS)],
    title: Title,
    svg: Svg,
    png: Png,
) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    ends = (f"{metric}{end}" for end in ("", "_low", "_high", "_published"))
    shown = read_shown(table, ("variant", "label", "context_length", "seeds", "diverged", *ends))
    with reading(corpus):
        lowest = floor(read_json(corpus)) if metric == "perplexity" else None
    seeds = read_seeds(observations, metric, "context_length")
    with style.styled():
        figure = draw(shown, lowest, metric, seeds)
        words = describe(shown, title, lowest, metric)
        style.save(figure, svg, png, title, words)
    return f"{svg}: {counted(len(shown), 'row')}"


def floor(summary: dict[str, float | None]) -> float | None:
    """Return the perplexity per token that no model of a generated corpus can beat.

    The entropy rate of the text is known, in nats per character; a token spends as many
    characters on average as the summary says. None for real text, whose entropy nobody knows.
    """
    entropy, characters = summary["entropy_per_character_nats"], summary["characters_per_token"]
    return None if entropy is None or characters is None else math.exp(entropy * characters)


def draw(
    table: pd.DataFrame,
    lowest: float | None,
    metric: str = "perplexity",
    seeds: Seeds = NONE_KNOWN,
) -> Figure:
    """Return the figure: intervals and means against a log axis, their values in columns.

    Args:
        table: an experiment's table, one context length; rows from top to bottom.
        lowest: perplexity to mark as the corpus's floor, if it is known.
        metric: what the rows are compared by.
        seeds: single values, by variant and context length.
    """
    figure = Figure(figsize=(style.WIDTH, 1.25 + ROW_HEIGHT * len(table)))
    ax = figure.subplots()
    rows = range(len(table))
    mean, published = table[metric], table[f"{metric}_published"]
    has_published = bool(published.notna().any())
    has_intervals = bool(table[f"{metric}_low"].notna().any())
    ax.plot(
        mean, rows, "o", color=style.BLUE, markersize=5,
        label="reproduced (mean)" if has_intervals else "reproduced",
    )  # fmt: skip
    if has_intervals:
        ax.hlines(
            rows, table[f"{metric}_low"], table[f"{metric}_high"], color=style.BLUE, alpha=0.3,
            linewidth=8, label=OVER_SEEDS,
        )  # fmt: skip
    singles = [
        several(seeds, *key) for key in zip(table["variant"], table["context_length"], strict=True)
    ]
    each = [(value, row) for row, values in enumerate(singles) for value in values.values()]
    draw_seeds(ax, each, "|")
    if has_published:
        ax.plot(
            published, rows, "D", markerfacecolor="none", markeredgewidth=1.5, markersize=8,
            color=style.VERMILLION, label="published",
        )  # fmt: skip
    if lowest is not None:
        ax.axvline(lowest, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
        ax.annotate(
            f"floor of this corpus, {rounded(lowest)}", (lowest, 1), (4, 3),
            xycoords=ax.get_xaxis_transform(), textcoords="offset points", fontsize=9,
        )  # fmt: skip

    values = [*mean.dropna(), *published.dropna(), *(value for value, _ in each)]
    ends = [*table[f"{metric}_low"].dropna(), *table[f"{metric}_high"].dropna()]
    logarithmic(ax, "x", values if lowest is None else [*values, lowest], ends)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_yticks(rows, table["label"])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="y", linestyle=":")
    length = int(table["context_length"].iloc[0])
    ax.set_xlabel(f"validation {METRICS[metric]} at {length} tokens (log scale, lower is better)")
    diverged_rows(ax, table["diverged"])
    values = ["" if math.isnan(value) else rounded(value) for value in table[metric]]
    columns = [("reproduced", values, style.BLUE)]
    if has_published:
        claimed = [as_published(value) for value in table[f"{metric}_published"]]
        columns.append(("published", claimed, style.VERMILLION))
    columns_beside(ax, columns)
    said = value_words(table, "label", metric)
    words = [one + seeds_in_words(values) for one, values in zip(said, singles, strict=True)]
    says_at(ax, mean.fillna(published), rows, words)
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def describe(
    table: pd.DataFrame, title: str, lowest: float | None, metric: str = "perplexity"
) -> str:
    """Return the figure's numbers in words."""
    length = int(table["context_length"].iloc[0])
    parts = [
        as_sentence(title),
        f"Validation {METRICS[metric]} at a context of {length} tokens, row by row.",
    ]
    for row in table.to_dict("records"):
        value = diverged(row["diverged"]) or estimate(
            row[metric], row[f"{metric}_low"], row[f"{metric}_high"], int(row["seeds"])
        )
        published = as_published(row[f"{metric}_published"])
        parts.append(f"{row['label']}: {value}{f', published {published}' if published else ''}.")
    if lowest is not None:
        parts.append(f"No model can be below {rounded(lowest)}, the floor of this corpus.")
    return " ".join(parts)
