"""The tables without training as the page shows them: cost, exponents, parameters, corpora."""

from typing import Any

import pandas as pd

from rungs.report.table_view import Builder, TableView
from rungs.tables.numbers import as_published, rounded

COST_COLUMNS = (
    "kernel",
    "tokens",
    "status",
    "attention_matrix_mib",
    "peak_mib",
    "peak_mib_published",
    "peak_ratio",
    "milliseconds",
    "milliseconds_published",
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
BLOCK_COLUMNS = (
    *("label", "width", "component", "closed_form", "closed_form_parameters", "parameters"),
    *("share", "parameters_published"),
)
PARAMETER_COLUMNS = ("model", "label", "component", "parameters", "parameters_published")


def cost_view(costs: pd.DataFrame, target: str) -> TableView:
    """Return the cost table."""
    builder = Builder()
    builder.words("kernel", (kernel.replace("_", " ") for kernel in costs["kernel"]))
    builder.numbers("tokens", (f"{tokens:,}" for tokens in costs["tokens"]))
    builder.numbers("scores, MiB", (_tenths(size) for size in costs["attention_matrix_mib"]))
    peaks = (
        "out of memory" if status == "out_of_memory" else _tenths(peak)
        for peak, status in zip(costs["peak_mib"], costs["status"], strict=True)
    )
    memory, time = "peak memory, MiB", "time, ms"
    builder.beside(memory, peaks, map(as_published, costs["peak_mib_published"]))
    builder.numbers("growth", map(_times, costs["peak_ratio"]), memory)
    milliseconds = ("" if pd.isna(value) else rounded(value) for value in costs["milliseconds"])
    builder.beside(time, milliseconds, map(as_published, costs["milliseconds_published"]))
    builder.numbers("growth", map(_times, costs["milliseconds_ratio"]), time)
    return builder.view(
        "One attention layer. Memory is counted, allocation by allocation, and includes the "
        "device's workspace; growth is over half the tokens.",
        target,
    )


def exponent_view(exponents: pd.DataFrame, target: str) -> TableView:
    """Return the fitted exponents."""
    builder = Builder()
    names = {"milliseconds": "time", "peak_mib": "peak memory"}
    builder.words("kernel", (kernel.replace("_", " ") for kernel in exponents["kernel"]))
    builder.words("quantity", (names.get(name, name) for name in exponents["quantity"]))
    builder.beside(
        "exponent",
        (f"{value:.2f}" for value in exponents["exponent"]),
        map(as_published, exponents["exponent_published"]),
    )
    spans = zip(exponents["first_tokens"], exponents["last_tokens"], strict=True)
    builder.numbers("fitted over tokens", (f"{first:,} to {last:,}" for first, last in spans))
    return builder.view("Growth as a power of the number of tokens, a log-log fit.", target)


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


def blocks_view(table: pd.DataFrame, target: str) -> TableView:
    """Return the parameters of each different block, counted and by the closed form."""
    builder = Builder()
    names = zip(table["label"], table["width"], strict=True)
    builder.words("model", (f"{label}, d = {width:,}" for label, width in names))
    builder.words("component", table["component"])
    builder.words("closed form", table["closed_form"])
    builder.numbers("its value", (f"{count:,}" for count in table["closed_form_parameters"]))
    published = map(as_published, table["parameters_published"].astype(float))
    builder.beside("parameters", (f"{count:,}" for count in table["parameters"]), published)
    shares = ("" if pd.isna(share) else f"{100 * share:.1f} %" for share in table["share"])
    builder.numbers("of a block", shares)
    return builder.view(
        "One block by component, each different block once: counted in the module, beside the "
        "closed form in the width d.",
        target,
    )


def corpus_view(title: str, summary: dict[str, Any], target: str) -> TableView:
    """Return the size of a corpus, from its ``summary.json``."""
    builder = Builder()
    builder.words("corpus", [title])
    builder.numbers("characters", [f"{summary['characters']:,}"])
    builder.numbers("vocabulary", [f"{summary['vocabulary']:,}"])
    builder.numbers("all", [f"{summary['tokens']:,}"], "tokens")
    builder.numbers("training", [f"{summary['train_tokens']:,}"], "tokens")
    builder.numbers("validation", [f"{summary['validation_tokens']:,}"], "tokens")
    builder.numbers("a token", [f"{summary['characters_per_token']:.2f}"], "characters")
    if summary["entropy_per_character_nats"] is not None:
        entropy = f"{summary['entropy_per_character_nats']:.3f}"
        builder.numbers("nats a character", [entropy], "entropy")
    return builder.view("The corpus as it was tokenised and split.", target)


def _tenths(size: float) -> str:
    return "" if pd.isna(size) else f"{size:,.1f}"


def _times(ratio: float) -> str:
    return "" if pd.isna(ratio) else f"\N{MULTIPLICATION SIGN}{ratio:.2f}"
