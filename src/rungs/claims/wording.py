"""The numbers of a judged claim in words, each with the digits it deserves."""

import math
from dataclasses import replace

from rungs.claims.draws import Draws
from rungs.published.quantity import Cell, Least
from rungs.published.schema import Claim
from rungs.tables import numbers
from rungs.tables.columns import possible
from rungs.tables.intervals import Estimate

CLEARER_AS_FACTOR = 1.5
"""A number that is further off is said to be so many times the published one."""


def numbers_of(claim: Claim, draws: Draws) -> str:
    """Return published and reproduced side by side, with the intervals and the seeds."""
    found = _shown(claim, draws.found)
    unit = "draw" if draws.read_off else "seed"
    over = f" over {numbers.counted(found.seeds, unit)}" if found.seeds > 1 else ""
    if claim.published is None:
        margin = "the smallest margin" if isinstance(claim.quantity, Least) else "the margin"
        if claim.kind in ("check", "every"):
            return f"{margin} is {numbers.rounded(draws.sample[0])}{over}"
        return f"{margin} is {_estimate(found)}{over}"
    if claim.kind == "difference":
        published = _better(draws.published, as_published(claim, abs(draws.published)))
        ours = _better(found.mean, _estimate(_towards_positive(found)))
        return f"published {published}; reproduced {ours}{over}{_one_more(claim, draws)}"
    published = as_published(claim, draws.published)
    if claim.kind in ("check", "every"):
        ours = published if claim.prints_as(found.mean) else as_published(claim, found.mean)
        return f"published {published}; reproduced {ours}"
    ours = _estimate(found) if found.seeds else numbers.rounded(found.mean)
    return f"published {published}; reproduced {ours}{over}{_one_more(claim, draws)}"


def as_published(claim: Claim, value: float) -> str:
    """Return a number with the published decimals."""
    return numbers.rounded(value, claim.decimals)


def apart(draws: Draws) -> str:
    """Say how far apart they are: by a factor where that is the clearer, else by a share."""
    published, mean = draws.published, draws.found.mean
    factor = mean / published if published else math.inf
    if 0 < factor < math.inf and abs(math.log(factor)) > math.log(CLEARER_AS_FACTOR):
        return f"{factor:.2g} times the published"
    if not published:
        return "not none"
    away = (mean - published) / abs(published)
    return f"{abs(away):.1%} {'above' if away > 0 else 'below'} the published"


def _one_more(claim: Claim, draws: Draws) -> str:
    """Return between what one more draw lies, where that is known and more than one number."""
    low, high = draws.one_more
    if math.isnan(low) or not draws.found.seeds:
        return ""
    if isinstance(claim.quantity, Cell):
        low, high = (possible(claim.quantity.column, end) for end in (low, high))
    mean = draws.found.mean
    if claim.kind == "difference" and mean < 0:
        mean, low, high = -mean, -high, -low
    return f", one more within {numbers.interval(mean, low, high)}"


def _shown(claim: Claim, found: Estimate) -> Estimate:
    """Return the interval cut at what is possible: for eyes, since a cut one would look narrow."""
    if not isinstance(claim.quantity, Cell):
        return found
    low, high = (possible(claim.quantity.column, end) for end in (found.low, found.high))
    return replace(found, low=low, high=high)


def _estimate(found: Estimate) -> str:
    return numbers.estimate(found.mean, found.low, found.high, found.seeds)


def _better(value: float, size: str) -> str:
    return f"{size} {'worse' if value < 0 else 'better'}"


def _towards_positive(found: Estimate) -> Estimate:
    """Return the estimate, mirrored where its mean is negative."""
    if found.mean >= 0:
        return found
    return Estimate(-found.mean, -found.high, -found.low, found.seeds)
