"""The published losses of the runs that are configured as they were published."""

import math

from rungs.claims.configured import claim_settings
from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.published.load import published_cells
from rungs.tables.comparable import mismatch


def published_losses(config: Config) -> dict[tuple[str, str, str], float]:
    """Return the published validation loss, ln of the perplexity, by corpus, budget and variant.

    Only of runs that are configured as they were published.
    """
    settings = claim_settings(config)
    losses = {}
    for name in config.experiments:
        runs = {run.variant: run for run in config.runs(name)}
        for cell, number in published_cells(name):
            run = runs.get(str(cell.row.get("variant")))
            if run is None or cell.column != "perplexity":
                continue
            trained = config.budgets[run.budget].context_length
            comparable = mismatch(cell, settings) is None
            if comparable and cell.row.get("context_length") == trained:
                losses[run_key(run)] = math.log(number)
    return losses


def run_key(run: Run) -> tuple[str, str, str]:
    """Return what `published_losses` knows a run by."""
    return run.corpus, run.budget, run.variant
