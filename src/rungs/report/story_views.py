"""Losses by step and what runs wrote, as the page shows them."""

from itertools import pairwise

import pandas as pd

from rungs.report.labels import diverged
from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted

STEP_COLUMNS = (
    *("variant", "label", "step", "seeds", "diverged", "reference"),
    *(f"validation_loss{end}" for end in ("", "_low", "_high", "_published")),
    *(f"ratio{end}" for end in ("", "_low", "_high")),
)
SAMPLE_COLUMNS = ("label", "seed", "prompt", "text", "tokens", "distinct_tokens", "ended")
POSITION_COLUMNS = (
    *("variant", "label", "position", "seeds", "diverged", "loss", "reference"),
    *(f"improvement{end}" for end in ("", "_low", "_high")),
)
SHOWN_TEXTS = 1
"""Of each variant; the table has those of all seeds."""


def steps_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the losses, a row for each variant and step.

    Args:
        table: an experiment's losses by step, in nats per token.
        target: its file, below the results folder.
    """
    builder = Builder()
    builder.words("variant", table["label"])
    builder.numbers("step", (f"{step:,}" for step in table["step"]))
    builder.beside(
        "validation loss, nats per token",
        estimates(table, "validation_loss"),
        map(as_published, table["validation_loss_published"].astype(float)),
    )
    if table["ratio"].notna().any():
        labels = table.drop_duplicates("variant").set_index("variant")["label"]
        compared = table.loc[table["reference"] != "", "reference"]
        reference = labels.get(compared.iloc[0], "the other row")
        builder.numbers(f"over {reference}", estimates(table, "ratio"), "ratio")
    seeds = int(table["seeds"].max())
    spread = f"mean with its {INTERVAL} over {counted(seeds, 'seed')}" if seeds > 1 else "1 seed"
    return builder.view(
        f"Validation loss during training, each model read as it was trained: {spread}.", target
    )


def positions_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the mean gain over parts of the window, each as long as all before it."""
    builder = Builder()
    gaining = table.dropna(subset=["improvement"])
    parts = _parts(int(table["position"].max()))
    builder.words("tokens read", (f"{a} to {b}" if b > a else f"{a}" for a, b in parts))
    for _, rows in table.groupby("variant", sort=False):
        builder.numbers(str(rows["label"].iloc[0]), _means(rows, "loss", parts), "loss")
    for _, rows in gaining.groupby("variant", sort=False):
        builder.numbers(str(rows["label"].iloc[0]), _means(rows, "improvement", parts), "gained")
    return builder.view(
        "Mean validation loss, in nats per token, over parts of the window of which each is as "
        "long as all before it, and what is gained on the row compared with.",
        target,
    )


def samples_view(table: pd.DataFrame, target: str) -> TableView:
    """Return what the first seed of each variant wrote."""
    shown = table.groupby("label", sort=False).head(SHOWN_TEXTS)
    builder = Builder()
    builder.words("variant", shown["label"])
    builder.prose("what it wrote", (_one_line(text) for text in shown["text"].fillna("")))
    tokens = zip(shown["distinct_tokens"], shown["tokens"], strict=True)
    builder.numbers(
        "different tokens", ("" if pd.isna(a) else f"{a:,.0f} of {b:,.0f}" for a, b in tokens)
    )
    prompt = shown["prompt"].iloc[0]
    return builder.view(
        f"Written after \N{LEFT DOUBLE QUOTATION MARK}{prompt}\N{RIGHT DOUBLE QUOTATION MARK}, "
        f"drawn with seed {shown['seed'].iloc[0]}; the table has every seed.",
        target,
    )


def _parts(last: int) -> list[tuple[int, int]]:
    """Return 1, 2, 3 to 4, 5 to 8, ... up to the last position."""
    ends = [1]
    while ends[-1] < last:
        ends.append(min(2 * ends[-1], last))
    return [(1, 1), *((a + 1, b) for a, b in pairwise(ends))]


def _means(rows: pd.DataFrame, column: str, parts: list[tuple[int, int]]) -> list[str]:
    ended = diverged(rows["diverged"].iloc[0])
    return [ended or f"{rows[rows['position'].between(a, b)][column].mean():.3f}" for a, b in parts]


def _one_line(text: str) -> str:
    """Return a text without its line breaks, which a table cell has no room for."""
    return " ".join(str(text).split())
