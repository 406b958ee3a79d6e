"""Who names the referent, and what attention looks at, as the page shows them."""

import math

import pandas as pd

from rungs.report.labels import diverged
from rungs.report.table_view import Builder, TableView, estimates
from rungs.tables.numbers import INTERVAL, as_published, counted, rounded

ANSWERS = {
    "accuracy": "the referent, %",
    "wrong_noun": "the other noun, %",
    "anything_else": "anything else, %",
    "training_accuracy": "the referent, in training, %",
}
ANSWER_COLUMNS = (
    *("label", "seeds", "diverged", "parameters", "chance"),
    *(metric + suffix for metric in ANSWERS for suffix in ("", "_low", "_high", "_published")),
)
WEIGHTS = {
    "first_noun_weight": "the first noun",
    "second_noun_weight": "the second noun",
    "adjective_weight": "the adjective",
}
ATTENTION_COLUMNS = (
    *("variant", "seeds", "diverged", "block", "adjective", "role"),
    *(target + suffix for target in WEIGHTS for suffix in ("", "_low", "_high")),
)


def answers_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the answers, a row a variant.

    Args:
        table: an experiment's answers, in percent.
        target: its file, below the results folder.
    """
    builder = Builder()
    builder.words("variant", table["label"])
    builder.numbers("parameters", ("" if pd.isna(n) else f"{n:,.0f}" for n in table["parameters"]))
    builder.numbers("chance, %", ("" if pd.isna(c) else rounded(c, 1) for c in table["chance"]))
    for metric, heading in ANSWERS.items():
        builder.beside(
            heading,
            estimates(table, metric),
            map(as_published, table[f"{metric}_published"].astype(float)),
        )
    return builder.view(
        "Answers to the held-out sentences, of the whole vocabulary: mean"
        f" with its {INTERVAL} over seeds, where there are several.",
        target,
    )


def attention_view(table: pd.DataFrame, label: str, target: str) -> TableView:
    """Return one variant's attention weights at the answering position, a row an adjective.

    Args:
        table: the variant's rows of an experiment's attention table.
        label: what the variant is called.
        target: the table's file, below the results folder.
    """
    builder = Builder()
    first = table[table["block"] == table["block"].min()]
    builder.words("adjective", first["adjective"])
    builder.words("said of the", first["role"])
    for block, rows in table.groupby("block"):
        for name, heading in WEIGHTS.items():
            builder.numbers(heading, _weights(rows, name), f"block {block}")
    return builder.view(
        f"Where the answering position looks, {label}: weights between 0 and 1, mean over heads "
        f"and over the held-out sentences with that adjective{_over_seeds(table)}.",
        target,
    )


def _weights(table: pd.DataFrame, name: str) -> list[str]:
    """Return weights with two decimals, as the chapter prints them, and their intervals."""
    rows = table[[name, f"{name}_low", f"{name}_high"]].astype(float).itertuples(index=False)
    return [diverged(c) or _weight(*row) for c, row in zip(table["diverged"], rows, strict=True)]


def _weight(mean: float, low: float, high: float) -> str:
    if math.isnan(mean):
        return ""
    ends = "" if math.isnan(low) else f" [{rounded(low, 2)}, {rounded(high, 2)}]"
    return rounded(mean, 2) + ends


def _over_seeds(table: pd.DataFrame) -> str:
    seeds = int(table["seeds"].max())
    return f", with its {INTERVAL} over {counted(seeds, 'seed')}" if seeds > 1 else ", of one seed"
