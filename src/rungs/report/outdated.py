"""Results that an earlier configuration made.

A report shows whatever there is. What the workflow makes for it is of this configuration; what it
does not make this time (another chapter, an experiment without a seed) may not be.
"""

from collections.abc import Iterator
from pathlib import Path

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.records import stages
from rungs.tables.configured import experiment_settings


def outdated(
    config: Config, descriptions: dict[Run, dict[str, object]], results: Path
) -> list[str]:
    """Return a sentence on the runs, and one on the tables, that have other settings.

    Args:
        config: the configuration that the report shows.
        descriptions: the ``run.json`` of every finished run.
        results: the folder of results.
    """
    runs = [
        f"{run.variant}, {run.budget}, seed {run.seed}"
        for run, description in descriptions.items()
        if not config.trained_as_configured(run, description)
    ]
    tables = [f"{name}.csv" for name in _tables_of_other_settings(config, results.parent)]
    found = []
    if runs:
        found.append(
            f"{len(runs)} of {len(descriptions)} runs were trained with another architecture or "
            f"budget than this configuration's: {_some(runs)}."
        )
    if tables:
        was, them = ("was", "it") if len(tables) == 1 else ("were", "them")
        found.append(
            f"{_some(tables)} {was} made with other settings than this configuration's, and so was "
            f"what is read from {them}. Run the workflow to make {them} again."
        )
    return found


def _tables_of_other_settings(config: Config, folder: Path) -> Iterator[str]:
    for experiment in config.experiments:
        record = stages.read(folder, Path(f"logs/tables/{experiment}.log"))
        settings = stages.option(record.command, "--settings") if record else None
        if settings and settings != experiment_settings(config, experiment).canonical():
            yield experiment


def _some(names: list[str]) -> str:
    return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
