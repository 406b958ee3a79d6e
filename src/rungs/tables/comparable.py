"""Whether what was measured is what was published: never a small run under a published number."""

from collections.abc import Mapping
from typing import Any

from rungs.published.quantity import Cell
from rungs.tables.configured import published_settings
from rungs.tables.settings import ClaimSettings, ExperimentSettings, ProbeSettings

TABLES = ("corpus", "memory", "exponents", "parameters", "blocks")
"""Tables that are no experiment's and no probe's."""

# They leave a trained number as it is: when to log and what, and how many rows a position table
# has beyond those that are read.
_IRRELEVANT = {"validate_every", "observe_attention", "position_rows"}

Origin = dict[str, Mapping[str, Any] | None]
"""What a number comes from, by what it is called: fields, or None of what is not configured."""


def mismatch(cell: Cell, configured: ClaimSettings) -> str | None:
    """Say how what a cell comes from differs from what its published number came from.

    Returns:
        None where they agree, else words such as ``budget: steps is 200, published for 3,000``.
    """
    if probe := configured.probes.get(cell.table):
        return probe_mismatch(cell, probe)
    return difference(origin(cell, published_settings()), origin(cell, configured))


def experiment_mismatch(experiment: str, variant: str, own: ExperimentSettings) -> str | None:
    """Say how an experiment's row differs from that of the published experiment."""
    published = published_settings().experiments[experiment]
    return difference(of_row(published, variant), of_row(own, variant))


def probe_mismatch(cell: Cell, own: ProbeSettings) -> str | None:
    """Say how a probe differs from the published one, for what a cell of it comes from."""
    assert own.published is not None, "a probe's settings say what its numbers hold for"
    return difference(of_probe(own.published, cell), of_probe(own, cell))


def origin(cell: Cell, settings: ClaimSettings) -> Origin:
    """Return the settings that decide what is in a cell of a table that is no probe's."""
    if cell.table == "corpus":
        corpus = settings.corpora.get(str(cell.row["corpus"]))
        return {"corpus": corpus.model_dump() if corpus else None}
    if cell.table in ("memory", "exponents"):
        # How much memory there is decides what runs, and not what a point that ran takes.
        left_out = set() if cell.column == "status" else {"memory_budget_mib"}
        return {"kernels": settings.layer.model_dump(exclude=left_out)}
    if cell.table in ("blocks", "parameters"):
        return _of_count(settings, str(cell.row["model"]), whole=cell.table == "parameters")
    if experiment := settings.experiments.get(cell.table):
        return of_row(experiment, str(cell.row["variant"]))
    return {f"experiment {cell.table}": None}


def of_row(experiment: ExperimentSettings, variant: str) -> Origin:
    """Return the settings that decide what is in an experiment's row."""
    row = next((row for row in experiment.rows if row.variant == variant), None)
    if row is None:
        return {f"row {variant} of the experiment": None}
    return {
        "corpus": (row.corpus or experiment.corpus).model_dump(),
        "budget": (row.budget or experiment.budget).model_dump(exclude=_IRRELEVANT),
        variant: row.architecture.model_dump(exclude=_IRRELEVANT),
    }


def of_probe(probe: ProbeSettings, cell: Cell) -> Origin:
    """Return the settings that decide what is in a probe's cell."""
    found: Origin = {"probes": probe.sizes}
    if probe.corpus is not None:
        found["corpus"] = probe.corpus.model_dump()
    if probe.architectures:
        variant = str(cell.row["variant"])
        known = probe.architectures.get(variant)
        found[variant] = known.model_dump(exclude=_IRRELEVANT) if known else None
    return found


def _of_count(settings: ClaimSettings, name: str, *, whole: bool) -> Origin:
    """Return the settings of a model that is counted; of one block, without the vocabulary."""
    if model := settings.models.get(name):
        vocabulary = {"vocabulary": model.vocabulary} if whole else {}
        return {name: vocabulary | model.architecture.model_dump()}
    for experiment in settings.experiments.values():
        for row in experiment.rows:
            if row.variant == name:
                corpus = row.corpus or experiment.corpus
                vocabulary = {"vocabulary": corpus.vocabulary} if whole else {}
                return {name: vocabulary | row.architecture.model_dump()}
    return {name: None}


def difference(published: Origin, configured: Origin) -> str | None:
    """Return the first field in which two origins differ, in words."""
    for what, theirs in published.items():
        ours = configured.get(what)
        if theirs is None or ours is None:
            missing = next((name for name, fields in configured.items() if fields is None), what)
            return f"{missing} is not configured"
        for field, value in theirs.items():
            if value != ours[field]:
                if field == "sha256":
                    return f"{what}: another text than the published one (SHA-256 {_shown(value)})"
                return f"{what}: {field} is {_shown(ours[field])}, published for {_shown(value)}"
    return None


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) == 64:
        return f"{value[:8]}..."
    return f"{value:,}" if isinstance(value, int | float) else str(value).lower()
