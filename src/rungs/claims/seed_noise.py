"""Stage ``seed-noise``: could the chapters' one seed have shown their differences by luck?"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from rungs.claims.claim_table import not_comparable, not_wanted, remedy
from rungs.claims.quantities import Diverged, NotRun, Values, evaluate
from rungs.claims.results import Results
from rungs.published.load import sections
from rungs.published.schema import Claim, Section
from rungs.tables.comparable import TABLES
from rungs.tables.power import deviation_interval, seeds_needed, single_seed_noise
from rungs.tables.settings import ClaimSettings
from rungs.tables.writing import write_csv

COLUMNS = [
    *("id", "chapter", "section", "statement", "published", "seeds", "difference"),
    *("standard_deviation", "single_seed_noise", "exceeds_noise"),
    *("seeds_needed", "seeds_needed_low", "seeds_needed_high", "reason"),
]
ONE_SEED = "one seed has no spread: nothing can be said"


def run(
    *,
    results: Annotated[Path, "folder; any part may lack"],
    settings: ClaimSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write one row for each published difference, in the chapters' order.

    Raises:
        UserError: the settings cannot be read, or a table is there and malformed.
    """
    table = noise_table(Results(results, settings.probes), settings)
    write_csv(table, output, float_format="%.6g")
    resolved = table["exceeds_noise"].isin(["yes", "no"]).sum()
    if not resolved:
        return f"{len(table)} published differences, none with a spread over seeds"
    return (
        f"{len(table)} published differences; of {resolved} with a spread, "
        f"{(table['exceeds_noise'] == 'yes').sum()} exceed what one seed shows by luck"
    )


def noise_table(results: Results, settings: ClaimSettings) -> pd.DataFrame:
    """Return ``COLUMNS``, then each seed's difference in a column of its own, ``seed0``.

    A difference is as in the claims: signed as published, in the unit of its metric, paired by
    seed. What has no seeds has no noise and no row.
    """
    rows, by_seed = [], []
    for section in sections():
        for claim in section.claims:
            if claim.kind == "difference" and _has_seeds(claim):
                values, reason = _differences(claim, results, settings)
                if None not in values:
                    rows.append(_row(claim, section, values, reason))
                    by_seed.append(values)
    seeds = sorted({seed for values in by_seed for seed in values if seed is not None})
    for row, values in zip(rows, by_seed, strict=True):
        row |= {f"seed{seed}": values.get(seed) for seed in seeds}
    table = pd.DataFrame(rows, columns=[*COLUMNS, *(f"seed{seed}" for seed in seeds)])
    return table.astype({"seeds": int, "published": float})


def _has_seeds(claim: Claim) -> bool:
    """Whether what it rests on is trained or drawn; what is counted has no spread."""
    return all(cell.table not in TABLES for cell in claim.cells)


def _differences(claim: Claim, results: Results, settings: ClaimSettings) -> tuple[Values, str]:
    """Return the difference for each seed, or none and why."""
    if problem := not_comparable(claim, settings) or not_wanted(claim, settings):
        return {}, problem
    try:
        return evaluate(claim.quantity, results.numbers), ""
    except Diverged as ended:
        return {}, str(ended)
    except NotRun as missing:
        return {}, f"{missing}; {remedy(claim, missing, settings)}"


def _row(claim: Claim, section: Section, values: Values, reason: str) -> dict[str, Any]:
    published = claim.number
    assert published is not None, "a difference has a published number"
    row: dict[str, Any] = {
        "id": claim.id,
        "chapter": section.chapter,
        "section": section.section,
        "statement": claim.statement,
        "published": published,
        "seeds": len(values),
        "reason": reason or (ONE_SEED if len(values) == 1 else ""),
    }
    if values:
        row["difference"] = statistics.fmean(values.values())
    if len(values) > 1:
        row |= _noise(abs(float(published)), statistics.stdev(values.values()), len(values))
    return row


def _noise(size: float, deviation: float, seeds: int) -> dict[str, Any]:
    """Return what the spread over seeds says of a published difference of this size."""
    noise = single_seed_noise(deviation, seeds)
    needed = seeds_needed(size, deviation)
    fewest, most = (seeds_needed(size, end) for end in deviation_interval(deviation, seeds))
    return {
        "standard_deviation": deviation,
        "single_seed_noise": noise,
        "exceeds_noise": "yes" if size > noise else "no",
        "seeds_needed": needed,
        "seeds_needed_low": fewest,
        "seeds_needed_high": most,
    }
