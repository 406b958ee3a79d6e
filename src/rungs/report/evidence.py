"""What a judged claim rests on: the draws, one by one, the runs, and the command for its table."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rungs.claims.claim_table import target_of
from rungs.claims.configured import claim_settings
from rungs.claims.quantities import NotRun, evaluate
from rungs.claims.results import Results
from rungs.config import Config
from rungs.published.load import sections
from rungs.published.schema import Claim


class Evidence(NamedTuple):
    """Of one claim.

    Attributes:
        points: the single draws by name; none where they are not known one by one.
        runs: the variants of experiments that it rests on, in words; none of what is not trained.
        target: the table with its number, below the results folder.
    """

    points: tuple[tuple[str, float], ...]
    runs: tuple[str, ...]
    target: str


def evidence(config: Config, results: Path) -> Mapping[str, Evidence]:
    """Return what each of the chapters' claims rests on, by its name.

    Raises:
        UserError: a result that exists cannot be read.
    """
    settings = claim_settings(config)
    found = Results(results, settings.probes)
    return {
        claim.id: Evidence(_points(claim, found), _runs(claim, config), target_of(claim.cells[0]))
        for section in sections()
        for claim in section.claims
    }


def _points(claim: Claim, results: Results) -> tuple[tuple[str, float], ...]:
    if isinstance(claim.published, str):
        return ()
    try:
        values = evaluate(claim.quantity, results.numbers)
    except NotRun:
        return ()
    return tuple((f"seed {seed}", value) for seed, value in values.items() if seed is not None)


def _runs(claim: Claim, config: Config) -> tuple[str, ...]:
    trained = (cell for cell in claim.cells if cell.table in config.experiments)
    return tuple(dict.fromkeys(f"{cell.table}: {cell.row['variant']}" for cell in trained))
