"""What the page shows of a table: captions, headings and cells, all as text."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from rungs.report.numbers import as_published, counted, estimate, rounded, signed_estimate

ABSENT = "\N{EM DASH}"

EXPERIMENT_COLUMNS = (
    "variant",
    "label",
    "context_length",
    "seeds",
    "parameters",
    *(
        metric + suffix
        for metric in ("perplexity", "training_perplexity", "improvement")
        for suffix in ("", "_low", "_high", "_published")
    ),
    "reference",
)
COST_COLUMNS = (
    "kernel",
    "tokens",
    "status",
    "attention_matrix_mib",
    *(metric + suffix for metric in ("peak_mib", "milliseconds") for suffix in ("", "_published")),
    "peak_ratio",
    "milliseconds_ratio",
)
EXPONENT_COLUMNS = (
    "kernel",
    "quantity",
    "exponent",
    "exponent_published",
    "first_tokens",
    "last_tokens",
)
PARAMETER_COLUMNS = ("model", "label", "component", "parameters")
CORPUS_COLUMNS = {
    "characters": "characters",
    "vocabulary": "vocabulary",
    "tokens": "tokens",
    "characters_per_token": "characters per token",
    "train_tokens": "training tokens",
    "validation_tokens": "validation tokens",
}


class Column(NamedTuple):
    """A column's heading, and the heading it shares with its neighbours."""

    heading: str
    group: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class TableView:
    """A table as the page shows it; the first cell of a row names the row.

    Attributes:
        caption: what the numbers are.
        target: the CSV it shows, below the results folder.
    """

    caption: str
    target: str
    columns: list[Column]
    rows: list[list[str]]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The shared headings and how many columns each spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and column.group and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return spans if any(group for group, _ in spans) else []


@dataclass
class _Builder:
    """Collects columns beside one another, all with the same rows."""

    columns: list[Column] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    def add(self, column: Column, cells: list[str]) -> None:
        self.columns.append(column)
        self.cells.append([cell or ABSENT for cell in cells])

    def view(self, caption: str, target: str) -> TableView:
        rows = [list(row) for row in zip(*self.cells, strict=True)]
        return TableView(caption, target, self.columns, rows)


def experiment_views(table: pd.DataFrame, target: str) -> list[TableView]:
    """Return an experiment's perplexities, and its paired improvements if it compares any.

    Args:
        table: an experiment's table, as ``rungs table`` writes it.
        target: its file, below the results folder.
    """
    views = [_perplexities(table, target)]
    if table["improvement"].notna().any():
        views.append(_improvements(table, target))
    return views


def _perplexities(table: pd.DataFrame, target: str) -> TableView:
    variants = table.drop_duplicates("variant").set_index("variant")
    builder = _Builder()
    builder.add(Column("variant", numeric=False), list(variants["label"]))
    builder.add(Column("parameters"), [f"{count:,.0f}" for count in variants["parameters"]])
    for length, at_length in table.groupby("context_length"):
        rows = at_length.set_index("variant").reindex(variants.index)
        _add_metric(builder, rows, "perplexity", f"validation perplexity at {length} tokens")
    _add_metric(builder, variants, "training_perplexity", "training perplexity")
    caption = "Perplexity, mean" + _over_seeds(table)
    return builder.view(caption, target)


def _improvements(table: pd.DataFrame, target: str) -> TableView:
    labels = table.drop_duplicates("variant").set_index("variant")["label"]
    compared = table.dropna(subset=["reference"])
    variants = compared.drop_duplicates("variant").set_index("variant")
    builder = _Builder()
    builder.add(Column("variant", numeric=False), list(variants["label"]))
    references = [str(labels.get(name, name)) for name in variants["reference"]]
    builder.add(Column("measured against", numeric=False), references)
    lengths = compared.groupby("context_length")
    for length, at_length in lengths:
        rows = at_length.set_index("variant").reindex(variants.index)
        group = f"points of perplexity gained at {length} tokens"
        _add_metric(builder, rows, "improvement", group, signed=True)
        if len(lengths) == 1:
            builder.add(
                Column("reading", group, numeric=False), [reading(row) for row in _of(rows)]
            )
    caption = (
        "Improvement, the perplexity of the row it is measured against minus its own, paired by "
        "seed, mean" + _over_seeds(table)
    )
    return builder.view(caption, target)


def _add_metric(
    builder: _Builder, rows: pd.DataFrame, metric: str, group: str, *, signed: bool = False
) -> None:
    """Add a metric's reproduced and, where there are any, published values."""
    shown = signed_estimate if signed else estimate
    cells = [
        shown(row[metric], row[f"{metric}_low"], row[f"{metric}_high"], row["seeds"])
        for row in _of(rows)
    ]
    builder.add(Column("reproduced", group), cells)
    claimed = rows[f"{metric}_published"]
    if claimed.notna().any():
        values = [as_published(value, signed=signed) for value in claimed]
        builder.add(Column("published", group), values)


def reading(row: dict[str, float]) -> str:
    """Return in a word what an improvement's interval says."""
    low, high = row["improvement_low"], row["improvement_high"]
    if pd.isna(low) or pd.isna(high):
        return "" if pd.isna(row["improvement"]) else "one seed, no interval"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "not resolved"


def _of(rows: pd.DataFrame) -> list[dict[str, float]]:
    """Return the rows as dictionaries, their numbers as floats: a column may be empty."""
    numbers = rows.apply(pd.to_numeric, errors="coerce").astype(float)
    return [{str(key): value for key, value in row.items()} for row in numbers.to_dict("records")]


def _over_seeds(table: pd.DataFrame) -> str:
    counts = sorted({int(seeds) for seeds in table["seeds"]})
    if counts == [1]:
        return " of 1 seed: no interval."
    words = counted(counts[0], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    return f" with its 95 % t-interval over {words}."


def cost_view(costs: pd.DataFrame, target: str) -> TableView:
    """Return the cost table."""
    builder = _Builder()
    builder.add(
        Column("kernel", numeric=False), [name.replace("_", " ") for name in costs["kernel"]]
    )
    builder.add(Column("tokens"), [f"{tokens:,}" for tokens in costs["tokens"]])
    for metric, group in (("peak_mib", "peak memory, MiB"), ("milliseconds", "time, ms")):
        cells = [
            "out of memory" if status == "out_of_memory" and metric == "peak_mib" else _plain(value)
            for value, status in zip(costs[metric], costs["status"], strict=True)
        ]
        builder.add(Column("reproduced", group), cells)
        claimed = costs[f"{metric}_published"]
        if claimed.notna().any():
            builder.add(Column("published", group), [as_published(value) for value in claimed])
        ratios = costs[metric.replace("_mib", "") + "_ratio"]
        growth = ["" if pd.isna(ratio) else f"×{ratio:.2f}" for ratio in ratios]
        builder.add(Column("growth", group), growth)
    matrices = [_plain(size) for size in costs["attention_matrix_mib"]]
    builder.add(Column("scores, MiB"), matrices)
    return builder.view(
        "One attention layer, one sequence, forward only. Memory is counted, byte by byte, plus "
        "the device's workspace; growth is over the row before.",
        target,
    )


def exponent_view(exponents: pd.DataFrame, target: str) -> TableView:
    """Return the fitted exponents."""
    builder = _Builder()
    names = {"milliseconds": "time", "peak_mib": "peak memory"}
    builder.add(
        Column("kernel", numeric=False), [name.replace("_", " ") for name in exponents["kernel"]]
    )
    quantities = [names.get(quantity, quantity) for quantity in exponents["quantity"]]
    builder.add(Column("quantity", numeric=False), quantities)
    group = "exponent p of tokens^p"
    builder.add(Column("reproduced", group), [f"{value:.2f}" for value in exponents["exponent"]])
    if exponents["exponent_published"].notna().any():
        claimed = [as_published(value) for value in exponents["exponent_published"]]
        builder.add(Column("published", group), claimed)
    spans = zip(exponents["first_tokens"], exponents["last_tokens"], strict=True)
    builder.add(Column("fitted over tokens"), [f"{first:,} to {last:,}" for first, last in spans])
    return builder.view("Growth with the number of tokens, a log-log fit.", target)


def parameter_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the parameters, a row a model and a column a component."""
    models = table.drop_duplicates("model").set_index("model")
    builder = _Builder()
    builder.add(Column("model", numeric=False), list(models["label"]))
    for component in table["component"].unique():
        rows = table[table["component"] == component].set_index("model").reindex(models.index)
        counts = ["" if pd.isna(count) else f"{count:,.0f}" for count in rows["parameters"]]
        builder.add(Column("reproduced", component), counts)
        if "parameters_published" in rows and rows["parameters_published"].notna().any():
            claimed = [as_published(count) for count in rows["parameters_published"]]
            builder.add(Column("published", component), claimed)
    if all(column.heading != "published" for column in builder.columns):
        builder.columns = [Column(c.group or c.heading, "", c.numeric) for c in builder.columns]
    return builder.view("Parameters by component; they are counted, not estimated.", target)


def corpus_view(title: str, summary: dict[str, Any], target: str) -> TableView:
    """Return the size of a corpus, from its ``summary.json``."""
    builder = _Builder()
    builder.add(Column("corpus", numeric=False), [title])
    for key, heading in CORPUS_COLUMNS.items():
        value = summary[key]
        text = f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
        builder.add(Column(heading), [text])
    if summary["entropy_per_character_nats"] is not None:
        entropy = f"{summary['entropy_per_character_nats']:.4f}"
        builder.add(Column("entropy, nats per character"), [entropy])
    return builder.view("The corpus, as it was tokenised and split.", target)


def _plain(value: float) -> str:
    return "" if pd.isna(value) else rounded(value)
