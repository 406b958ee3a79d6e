"""Who names the referent, and what attention looks at, as the page shows them."""

import pandas as pd

from rungs.report.table_view import Builder, TableView
from rungs.tables.numbers import INTERVAL, as_published, estimate, rounded

ANSWERS = {
    "accuracy": "the referent, %",
    "wrong_noun": "the other noun, %",
    "anything_else": "anything else, %",
    "training_accuracy": "the referent, in training, %",
}
ANSWER_COLUMNS = (
    *("label", "version", "seeds", "parameters", "chance"),
    *(metric + suffix for metric in ANSWERS for suffix in ("", "_low", "_high", "_published")),
)
TARGETS = {
    "first_noun": "the first noun",
    "second_noun": "the second noun",
    "adjective": "the adjective",
}
ATTENTION_COLUMNS = (
    *("variant", "seeds", "block", "adjective", "role"),
    *(target + suffix for target in TARGETS for suffix in ("", "_low", "_high")),
)


def answers_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the answers, a row a variant.

    Args:
        table: an experiment's answers, in percent.
        target: its file, below the results folder.
    """
    builder = Builder()
    builder.words("variant", table["label"])
    builder.words("version", table["version"])
    builder.numbers("parameters", ("" if pd.isna(n) else f"{n:,.0f}" for n in table["parameters"]))
    builder.numbers("chance, %", ("" if pd.isna(c) else rounded(c, 1) for c in table["chance"]))
    for metric, heading in ANSWERS.items():
        builder.beside(
            heading,
            _estimates(table, metric),
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
        for name, heading in TARGETS.items():
            builder.numbers(heading, _estimates(rows, name), f"block {block}")
    return builder.view(
        f"Where the answering position looks, {label}: weights between 0 and 1, mean over heads "
        "and over the held-out sentences with that adjective.",
        target,
    )


def _estimates(table: pd.DataFrame, metric: str) -> list[str]:
    columns = (metric, f"{metric}_low", f"{metric}_high", "seeds")
    numbers = table[list(columns)].astype(float)
    return [estimate(*row) for row in numbers.itertuples(index=False)]
