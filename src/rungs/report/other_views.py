"""The tables without training as the page shows them: cost, exponents, parameters, corpora."""

from collections.abc import Mapping, Sequence

import pandas as pd

from rungs.report.shown import Cells, Shown, numbers, words
from rungs.report.table_view import Builder, TableView
from rungs.tables.numbers import as_published, rounded

PARAMETER_COLUMNS = ("model", "label", "component", "parameters", "parameters_published")


def _kernel(name: str) -> str:
    return name.replace("_", " ")


def _tenths(size: float) -> str:
    return "" if pd.isna(size) else f"{size:,.1f}"


def _rounded(size: float) -> str:
    return "" if pd.isna(size) else rounded(size)


def _times(ratio: float) -> str:
    return "" if pd.isna(ratio) else f"\N{MULTIPLICATION SIGN}{ratio:.2f}"


def _peak(peak: float, status: str) -> str:
    return "out of memory" if status == "out_of_memory" else _tenths(peak)


MEMORY, TIME = "peak memory, MiB", "time, ms"
QUANTITIES = {"milliseconds": "time", "peak_mib": "peak memory"}
COSTS = Shown(
    "One attention layer. Memory is counted, allocation by allocation, and includes the "
    "device's workspace; growth is over half the tokens.",
    (
        words("kernel", "kernel", _kernel),
        numbers("tokens", "tokens", "{:,}".format),
        numbers("scores, MiB", "attention_matrix_mib", _tenths),
        Cells(MEMORY, ("peak_mib", "status"), "beside", _peak),
        numbers("growth", "peak_ratio", _times, MEMORY),
        Cells(TIME, "milliseconds", "beside", _rounded),
        numbers("growth", "milliseconds_ratio", _times, TIME),
    ),
)
EXPONENTS = Shown(
    "Growth as a power of the number of tokens, a log-log fit.",
    (
        words("kernel", "kernel", _kernel),
        words("quantity", "quantity", lambda name: QUANTITIES.get(str(name), str(name))),
        Cells("exponent", "exponent", "beside", "{:.2f}".format),
        numbers("fitted over tokens", ("first_tokens", "last_tokens"), "{:,} to {:,}".format),
    ),
    may_be_empty=True,
)
BLOCKS = Shown(
    "One block by component, each different block once: counted in the module, beside the "
    "closed form in the width d.",
    (
        words("model", ("label", "width"), "{}, d = {:,}".format),
        words("component", "component"),
        words("closed form", "closed_form"),
        numbers("its value", "closed_form_parameters", "{:,}".format),
        Cells("parameters", "parameters", "beside", "{:,}".format),
        numbers(
            "of a block", "share", lambda share: "" if pd.isna(share) else f"{100 * share:.1f} %"
        ),
    ),
    may_be_empty=True,
)


def parameter_views(table: pd.DataFrame, target: str) -> list[TableView]:
    """Return the parameters, a row a model, then each model of which counts are published."""
    models = table.drop_duplicates("model").set_index("model")
    builder = Builder()
    builder.words("model", models["label"])
    for component in table["component"].unique():
        rows = table[table["component"] == component].set_index("model").reindex(models.index)
        counts = ("" if pd.isna(count) else f"{count:,.0f}" for count in rows["parameters"])
        builder.numbers(component, counts)
    caption = "Parameters by component: counted, so that they have no spread."
    views = [builder.view(caption, target)]
    published = table.groupby("model", sort=False)["parameters_published"].count()
    for model in published[published > 0].index:
        rows = table[table["model"] == model]
        builder = Builder()
        builder.words("component", rows["component"])
        builder.beside(
            str(models["label"][model]),
            (f"{count:,}" for count in rows["parameters"]),
            map(as_published, rows["parameters_published"]),
        )
        views.append(builder.view("Counted beside published.", target))
    return views


CORPUS = (
    ("", "characters", "characters", ",.0f"),
    ("", "vocabulary", "vocabulary", ",.0f"),
    ("tokens", "all", "tokens", ",.0f"),
    ("tokens", "training", "train_tokens", ",.0f"),
    ("tokens", "validation", "validation_tokens", ",.0f"),
    ("characters", "a token", "characters_per_token", ".2f"),
    ("entropy", "nats a character", "entropy_per_character_nats", ".3f"),
)
"""Group and heading of a column, the key of a ``summary.json``, and its format."""


def corpus_cells(summary: Mapping[str, float | None]) -> list[str]:
    """Return the columns of a corpus, from its ``summary.json``; empty where nobody knows."""
    values = [(summary[key], form) for _, _, key, form in CORPUS]
    return ["" if value is None else format(value, form) for value, form in values]


def corpora_view(corpora: Sequence[tuple[str, list[str]]], target: str) -> TableView:
    """Return the sizes of corpora.

    Args:
        corpora: each with its title and `corpus_cells`.
        target: the ``summary.json`` of one.
    """
    builder = Builder()
    builder.words("corpus", [title for title, _ in corpora])
    columns = zip(*(cells for _, cells in corpora), strict=True)
    for (group, heading, _, _), cells in zip(CORPUS, columns, strict=True):
        if any(cells):
            builder.numbers(heading, cells, group)
    return builder.view("The corpora as they were tokenised and split.", target)
