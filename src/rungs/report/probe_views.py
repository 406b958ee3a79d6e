"""The probes' tables as the page shows them."""

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from rungs.report.labels import MEASURES, SCORES
from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted, rounded


def averaging_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the largest differences between two computations, float32 and float64 abreast."""
    single, double = _by_precision(table)
    builder = Builder()
    builder.words("compared", (MEASURES[str(measure)] for measure in single["measure"]))
    _differences(builder, single, double)
    return builder.view(f"Largest difference between two computations{_mean_of(table)}", target)


def masking_view(table: pd.DataFrame, target: str) -> TableView:
    """Return what becomes of minus infinity and its stand-ins."""
    builder = Builder()
    builder.words("forbidden score", map(str, table["stand_in"]))
    builder.words("in float16", map(str, table["in_float16"]))
    group = "weight of a forbidden token"
    builder.numbers("fresh head", map(_weight, table["weight_at_initialisation"]), group)
    builder.numbers("collapsed head", map(_weight, table["weight_after_collapse"]), group)
    return builder.view(
        "Softmax of a forbidden and an allowed token. The allowed token's score is three standard "
        "deviations low: of a fresh divided head (1), and of the chapter's undivided head after "
        "training (5,147).",
        target,
    )


def variance_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the variance and the standard deviation of a dot product by width."""
    builder = Builder()
    builder.numbers("width, d", (f"{width:,}" for width in table["width"]))
    _metric(builder, table, "variance", "variance of q\N{DOT OPERATOR}k")
    _metric(builder, table, "standard_deviation", "standard deviation")
    expected = (f"{value:.3f}" for value in table["expected_standard_deviation"])
    builder.numbers("\N{SQUARE ROOT}d", expected)
    return builder.view(f"The spread of a dot product{_mean_of(table)}", target)


def saturation_view(table: pd.DataFrame, target: str) -> TableView:
    """Return how sharp the softmax is by width, divided and undivided."""
    builder = Builder()
    builder.numbers("width, d", (f"{width:,}" for width in table["width"]))
    builder.words("scores", (SCORES[str(divided)] for divided in table["divided"]))
    _metric(builder, table, "entropy", "entropy, nats")
    _metric(builder, table, "effective_tokens", "effective tokens")
    _metric(builder, table, "jacobian", "sum of w(1 \N{MINUS SIGN} w)")
    _metric(builder, table, "frozen", "share of rows frozen")
    return builder.view(f"The softmax of rows of 64 scores{_mean_of(table)}", target)


def gradient_norms_view(table: pd.DataFrame, labels: Mapping[str, str], target: str) -> TableView:
    """Return the gradient norms of each block, a group of columns for each variant."""
    builder = Builder()
    blocks = sorted(table["block"].unique())
    builder.numbers("block", map(str, blocks))
    for variant, found in table.groupby("variant", sort=False):
        label = labels.get(str(variant), str(variant))
        rows = found.set_index("block").reindex(blocks)
        _metric(builder, rows, "whole_block", f"{label}, whole block")
        _metric(builder, rows, "output_projection", f"{label}, W_o")
    return builder.view(f"Gradient norms at initialisation{_mean_of(table)}", target)


def equivalence_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the largest differences between ours and torch's attention."""
    single, double = _by_precision(table)
    builder = Builder()
    builder.words("this", map(str, single["first"]))
    builder.words("beside this", map(str, single["second"]))
    _differences(builder, single, double)
    _metric(builder, single, "magnitude", "mean magnitude")
    return builder.view(f"Largest difference between two computations{_mean_of(table)}", target)


def contexts_view(table: pd.DataFrame, labels: Mapping[str, str], target: str) -> TableView:
    """Return how many predictions a step makes, and what they see."""
    builder = Builder()
    builder.words("model", _labelled(table, labels))
    builder.numbers("predictions a step", (f"{count:,.0f}" for count in table["predictions"]))
    means = (f"{mean:,.2f}" for mean in table["mean_context"])
    builder.beside("tokens seen, mean", means, map(as_published, _shown(table, "mean_context")))
    builder.numbers("at most", (f"{count:,.0f}" for count in table["largest_context"]))
    return builder.view("What the predictions of one step see: counted.", target)


def untrained_attention_view(
    table: pd.DataFrame, labels: Mapping[str, str], target: str
) -> TableView:
    """Return how evenly the first head looks at the tokens it sees, a row a position."""
    rows = table.dropna(subset=["smallest"])
    builder = Builder()
    builder.words("model", _labelled(rows, labels))
    builder.numbers("tokens seen", (f"{position:.0f}" for position in rows["position"]))
    _metric(builder, rows, "smallest", "smallest weight")
    _metric(builder, rows, "largest", "largest weight")
    _metric(builder, rows, "effective_tokens", "effective tokens")
    return builder.view(f"The first head before any training{_mean_of(rows)}", target)


def cache_view(table: pd.DataFrame, labels: Mapping[str, str], target: str) -> TableView:
    """Return the largest difference of a logit with and without the cache."""
    single, double = _by_precision(table)
    builder = Builder()
    builder.words("model", _labelled(single, labels))
    _differences(builder, single, double)
    return builder.view(
        f"Largest difference of a logit, read token by token and at once{_mean_of(table)}", target
    )


def _labelled(table: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[str]:
    return (labels.get(str(variant), str(variant)) for variant in table["variant"])


def _shown(table: pd.DataFrame, metric: str) -> pd.Series:
    """Return the published values of a metric, missing where there are none."""
    return table.get(f"{metric}_published", pd.Series(math.nan, index=table.index)).astype(float)


def _by_precision(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return tuple(table[table["precision"] == name] for name in ("float32", "float64"))  # type: ignore[return-value]


def _differences(builder: Builder, single: pd.DataFrame, double: pd.DataFrame) -> None:
    _metric(builder, single, "difference", "float32 difference")
    builder.numbers("rounding explains", map(rounded, single["rounding"]))
    builder.numbers("float64 difference", map(rounded, double["difference"]))


def _metric(builder: Builder, table: pd.DataFrame, metric: str, group: str) -> None:
    """Add a metric's means with their intervals and, where there are any, published values."""
    published = _shown(table, metric)
    builder.beside(group, estimates(table, metric), map(as_published, published))


def _mean_of(table: pd.DataFrame) -> str:
    seeds = int(table["seeds"].max())
    if seeds == 1:
        return ", of 1 seed, hence no interval."
    return f": mean with its {INTERVAL} over {counted(seeds, 'seed')}."


def _weight(value: float) -> str:
    return f"{value:g}"
