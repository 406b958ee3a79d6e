"""An experiment's table as the page shows it: perplexities, and paired improvements."""

import pandas as pd

from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted

METRICS = ("perplexity", "training_perplexity", "improvement")
BITS = "bits_per_byte"
"""What an experiment on stories is about, besides."""
PUBLISHED_COLUMNS = tuple(f"{metric}_published" for metric in METRICS)
SHARPNESS = {
    "score_std_at_start": "scores at initialisation, std",
    "score_std": "scores after training, std",
    "attention_entropy": "entropy of a row, nats",
    "hard_share": "rows with more than 0.99 on one token",
}
EXPERIMENT_COLUMNS = (
    "variant",
    "label",
    "context_length",
    "seeds",
    "diverged",
    "parameters",
    *(metric + suffix for metric in METRICS for suffix in ("", "_low", "_high", "_published")),
    "reference",
)


def experiment_views(table: pd.DataFrame, target: str) -> list[TableView]:
    """Return an experiment's perplexities, and its paired improvements if it compares any.

    Args:
        table: an experiment's table, a row for each variant and context length.
        target: its file, below the results folder.
    """
    views = [_perplexities(table, target)]
    if table["improvement"].notna().any():
        views.append(_improvements(table, target))
    if set(SHARPNESS) <= set(table.columns):
        views.append(_sharpness(table, target))
    return views


def _perplexities(table: pd.DataFrame, target: str) -> TableView:
    # The first value that is there: training windows have one length, the table several.
    variants = table.groupby("variant", sort=False).first()
    builder = Builder()
    builder.words("variant", variants["label"])
    builder.numbers("parameters", (f"{count:,.0f}" for count in variants["parameters"]))
    for length, at_length in table.groupby("context_length"):
        rows = at_length.set_index("variant").reindex(variants.index)
        if BITS in table:
            _add_metric(builder, rows, BITS, f"bits per byte, {length} tokens")
        _add_metric(builder, rows, "perplexity", f"validation, {length} tokens")
    _add_metric(builder, variants, "training_perplexity", "training")
    caption = "Perplexity of the validation and the training split: mean" + _over_seeds(table)
    if BITS in table:
        caption = f"Bits per byte of the validation text, and {caption[0].lower()}{caption[1:]}"
    return builder.view(caption, target)


def _improvements(table: pd.DataFrame, target: str) -> TableView:
    labels = table.drop_duplicates("variant").set_index("variant")["label"]
    compared = table[table["reference"] != ""]
    variants = compared.drop_duplicates("variant").set_index("variant")
    builder = Builder()
    builder.words("variant", variants["label"])
    builder.words("measured against", (labels.get(name, name) for name in variants["reference"]))
    lengths = compared.groupby("context_length")
    for length, at_length in lengths:
        rows = at_length.set_index("variant").reindex(variants.index)
        group = f"validation, {length} tokens"
        _add_metric(builder, rows, "improvement", group, signed=True)
        if len(lengths) == 1:
            builder.words("in words", map(reading, _of(rows)), group)
    unit = "Bits per byte" if BITS in table else "Points of perplexity"
    caption = f"{unit} gained over the row measured against, paired by seed: mean" + _over_seeds(
        table
    )
    return builder.view(caption, target)


def _sharpness(table: pd.DataFrame, target: str) -> TableView:
    shown = table[table["score_std"].notna() | (table["diverged"] != "")]
    observed = shown.drop_duplicates("variant").set_index("variant")
    builder = Builder()
    builder.words("variant", observed["label"])
    for metric, heading in SHARPNESS.items():
        _add_metric(builder, observed, metric, heading)
    caption = "How sharply the observed heads attend: mean" + _over_seeds(table)
    return builder.view(caption, target)


def _add_metric(
    builder: Builder, rows: pd.DataFrame, metric: str, group: str, *, signed: bool = False
) -> None:
    """Add a metric's reproduced and, where there are any, published values."""
    builder.beside(
        group,
        estimates(rows, metric, signed=signed),
        (as_published(row[f"{metric}_published"], signed=signed) for row in _of(rows)),
    )


def reading(row: dict[str, float]) -> str:
    """Return in a word what an improvement's interval says."""
    low, high = row["improvement_low"], row["improvement_high"]
    if pd.isna(low) or pd.isna(high):
        return "" if pd.isna(row["improvement"]) else "one seed, no interval"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "not resolved"


def _of(rows: pd.DataFrame) -> list[dict[str, float]]:
    """Return the rows' numbers as floats, not a number where a field is empty or is a word."""
    numbers = rows.apply(pd.to_numeric, errors="coerce").astype(float)
    return [{str(key): value for key, value in row.items()} for row in numbers.to_dict("records")]


def _over_seeds(table: pd.DataFrame) -> str:
    ended = table.loc[table["diverged"] == "", "seeds"]
    if ended.empty:
        return "."
    fewest, most = int(ended.min()), int(ended.max())
    if most == 1:
        return " of 1 seed, hence no interval."
    words = counted(most, "seed") if fewest == most else f"{fewest} to {most} seeds"
    return f" with its {INTERVAL} over {words}."
