"""Whether what was measured is what was published: never a small run under a published number."""

from collections.abc import Collection

from rungs.probes import PROBES
from rungs.published.quantity import Cell
from rungs.published.schema import ProbeSetting, Setting
from rungs.settings import Settings
from rungs.tables.settings import ClaimSettings, ExperimentSettings, ProbeSettings

TABLES = ("corpus", "memory", "exponents", "parameters", "blocks")
"""Tables that are no experiment's and no probe's."""

# They leave a trained number as it is: when to log and what, and how many rows a position table
# has beyond those that are read.
_IRRELEVANT = ("validate_every", "observe_attention", "position_rows")


def mismatch(setting: Setting, cell: Cell, configured: ClaimSettings) -> str | None:
    """Say how the configuration differs from the setting a published cell holds for.

    Returns:
        None where they agree, else words such as ``steps is 200, published for 3,000``.
    """
    if cell.table == "corpus":
        corpus = configured.corpora.get(str(cell.row["corpus"]))
        return _difference("corpus", setting.corpus, corpus)
    if cell.table in ("memory", "exponents"):
        # How much memory there is decides what runs, and not what a point that ran takes.
        ignored = () if cell.column == "status" else ("memory_budget_mib",)
        return _difference("kernels", setting.layer, configured.layer, ignored)
    if cell.table in PROBES:
        return probe_mismatch(setting, cell, configured.probes[cell.table])
    if cell.table == "blocks":
        return _block_mismatch(setting, str(cell.row["model"]), configured)
    if cell.table == "parameters":
        return _model_mismatch(setting, str(cell.row["model"]), configured)
    experiment = configured.experiments.get(cell.table)
    if experiment is None:
        return f"no experiment {cell.table} is configured"
    return experiment_mismatch(setting, str(cell.row["variant"]), experiment)


def experiment_mismatch(
    setting: Setting, variant: str, experiment: ExperimentSettings
) -> str | None:
    """Say how an experiment's row differs from the setting that is published for the variant."""
    rows = {row.variant: row for row in experiment.rows}
    if variant not in rows:
        return f"{variant} is not a row of the experiment"
    row, model = rows[variant], setting.models[variant]
    corpus, published_corpus = row.corpus or experiment.corpus, model.corpus or setting.corpus
    budget, published_budget = row.budget or experiment.budget, model.budget or setting.budget
    return (
        _difference("corpus", published_corpus, corpus)
        or _difference("budget", published_budget, budget, _IRRELEVANT)
        or _difference(variant, model.architecture, row.architecture, _IRRELEVANT)
    )


def probe_mismatch(setting: Setting, cell: Cell, configured: ProbeSettings) -> str | None:
    """Say how a probe's configuration differs from the setting a published cell holds for."""
    sizes = configured.sizes.model_dump(exclude_none=True)
    if sizes:
        others = [name for name in ProbeSetting.model_fields if name not in sizes]
        if difference := _difference("probes", setting.probes, configured.sizes, others):
            return difference
    if configured.corpus is not None and (
        difference := _difference("corpus", setting.corpus, configured.corpus)
    ):
        return difference
    if not configured.architectures:
        return None
    variant = str(cell.row["variant"])
    return _difference(
        variant,
        setting.models[variant].architecture,
        configured.architectures.get(variant),
        _IRRELEVANT,
    )


def _block_mismatch(setting: Setting, name: str, configured: ClaimSettings) -> str | None:
    """Say how a block differs from the published one; the vocabulary is no part of it."""
    model = configured.models.get(name)
    if model is None:
        return f"{name} is not counted"
    return _difference(name, setting.models[name].architecture, model.architecture)


def _model_mismatch(setting: Setting, name: str, configured: ClaimSettings) -> str | None:
    published = setting.models[name]
    if published.vocabulary is not None:
        model = configured.models.get(name)
        if model is None:
            return f"{name} is not counted"
        if model.vocabulary != published.vocabulary:
            return (
                f"{name}: vocabulary is {model.vocabulary:,}, "
                f"published for {published.vocabulary:,}"
            )
        return _difference(name, published.architecture, model.architecture)
    for experiment in configured.experiments.values():
        for row in experiment.rows:
            if row.variant == name:
                return _difference(name, published.architecture, row.architecture)
    return f"{name} is not trained"


def _difference(
    what: str,
    published: Settings | None,
    configured: Settings | None,
    ignored: Collection[str] = (),
) -> str | None:
    """Return the first field in which the two differ, in words."""
    assert published is not None, "a published number needs its setting"
    if configured is None:
        return f"{what} is not configured"
    theirs, ours = published.model_dump(), configured.model_dump()
    for field, value in theirs.items():
        if field not in ignored and value != ours[field]:
            if field == "sha256":
                return f"{what}: another text than the published one (SHA-256 {_shown(value)})"
            return f"{what}: {field} is {_shown(ours[field])}, published for {_shown(value)}"
    return None


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) == 64:
        return f"{value[:8]}..."
    return f"{value:,}" if isinstance(value, int | float) else str(value).lower()
