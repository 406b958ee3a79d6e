"""The configuration of a running workflow, found from how Snakemake was started."""

import math
from collections.abc import Mapping
from pathlib import Path

from rungs.config import Config, read_config
from rungs.configuration.schema import Run
from rungs.errors import UserError
from rungs.published.load import published_cells
from rungs.tables.comparable import mismatch
from rungs.tables.configured import claim_settings


def config_of(header: Mapping[str, str]) -> Config | None:
    """Return the configuration that the header of Snakemake's log names, None if it is gone."""
    if not {"Command", "Snakefile", "Run directory"} <= header.keys():
        return None
    words = header["Command"].split()
    started_in = Path(header["Run directory"])
    base = Path(header["Snakefile"]).with_name("config.yaml")
    overlays = [started_in / word for word in _after(words, "--configfile", "--configfiles")]
    try:
        return read_config(base, *overlays, values=_values(_after(words, "--config", "-C")))
    except UserError:
        return None


def _after(words: list[str], *options: str) -> list[str]:
    """Return the words that follow an option, up to the next option."""
    for index, word in enumerate(words):
        if word in options:
            rest = words[index + 1 :]
            end = next((i for i, w in enumerate(rest) if w.startswith("-")), len(rest))
            return rest[:end]
    return []


def _values(words: list[str]) -> list[str]:
    """Put ``KEY=VALUE`` together again where the value had spaces."""
    values: list[str] = []
    for word in words:
        if "=" in word or not values:
            values.append(word)
        else:
            values[-1] += f" {word}"
    return values


def published_losses(config: Config) -> dict[tuple[str, str, str], float]:
    """Return the published validation loss, ln of the perplexity, by corpus, budget and variant.

    Only of runs that are configured as they were published.
    """
    settings = claim_settings(config)
    losses = {}
    for name in config.experiments:
        runs = {run.variant: run for run in config.runs(name)}
        for cell, number, section in published_cells(name):
            run = runs.get(str(cell.row.get("variant")))
            if run is None or cell.column != "perplexity":
                continue
            trained = config.budgets[run.budget].context_length
            comparable = mismatch(section.setting, cell, settings) is None
            if comparable and cell.row.get("context_length") == trained:
                losses[run_key(run)] = math.log(number)
    return losses


def run_key(run: Run) -> tuple[str, str, str]:
    """Return what `published_losses` knows a run by."""
    return run.corpus, run.budget, run.variant
