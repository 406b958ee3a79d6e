"""Judge one claim by what was reproduced, and say why in words made of the numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from rungs.published.quantity import Cell, Least
from rungs.published.schema import Claim, Kind
from rungs.tables import numbers
from rungs.tables.columns import possible
from rungs.tables.intervals import Estimate, estimate

Verdict = Literal["reproduced", "direction only", "not reproduced", "not run"]

CLEARER_AS_FACTOR = 1.5
"""A number that is further off is said to be so many times the published one."""

# How far a published number may be from the reproduced mean, relative to that mean, where no
# interval contains it. One for each kind, fixed before the results were known; all rules in one
# table, and which came later, are in docs/decisions/verdicts.md.
TOLERANCES: dict[Kind, float] = {
    # The chapter trained one seed. Two seeds of its first row end 2.6 % apart (60.96 and 59.4),
    # so that a single published run is not known better than this.
    "value": 0.03,
    # Such sizes are published as "3 better" or "14 better": within a quarter, the same would be
    # said of them.
    "difference": 0.25,
    # A ratio or an exponent describes a limit. The chapter calls 3.91 and 3.69 "tending to 4",
    # up to 8 % away, and n^1.87 quadratic, 7 % away.
    "shape": 0.10,
}

WIDEST_INTERVAL = 0.25
"""An interval that reaches further than this share of its mean to a side tells too little to
confirm a value inside it: whatever had been published would be found there."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with the numbers it is made of, NaN where there are none."""

    verdict: Verdict
    reason: str
    reproduced: Estimate | str | None = None


def judge(claim: Claim, values: Iterable[float], seeded: bool = True) -> Judgement:
    """Judge a claim whose quantity is a number.

    Args:
        claim: the claim.
        values: the quantity, once per seed, in any order; at least one.
        seeded: whether it has seeds; what is counted has a single value and no spread.
    """
    sample = sorted(values)
    found = estimate(sample)
    if not seeded:
        found = replace(found, seeds=0)
    match claim.kind:
        case "exact":
            verdict, conclusion = _exact(claim, sample)
        case "value":
            verdict, conclusion = _value(claim, found)
        case "shape":
            verdict, conclusion = _shape(claim, found)
        case "difference" | "order":
            verdict, conclusion = _comparison(claim, found)
    return Judgement(verdict, f"{_numbers(claim, found)}: {conclusion}", found)


def judge_word(claim: Claim, word: str) -> Judgement:
    """Judge a claim whose quantity is a word."""
    equal = word == claim.published
    published, found = (str(text).replace("_", " ") for text in (claim.published, word))
    return Judgement(
        "reproduced" if equal else "not reproduced",
        f"published {published}; reproduced {found}: {'equal' if equal else 'different'}",
        word,
    )


def _exact(claim: Claim, sample: list[float]) -> tuple[Verdict, str]:
    """Equal to the published digits: ours rounds to it, in every run."""
    furthest = max(abs(value - _number(claim)) for value in sample)
    if _rounds_to_zero(claim, furthest):
        return "reproduced", "equal"
    off = "off by" if len(sample) == 1 else "off by up to"
    return "not reproduced", f"{off} {_as_published(claim, furthest)}"


def _value(claim: Claim, found: Estimate) -> tuple[Verdict, str]:
    inside = _inside(claim, found)
    if inside and found.high - found.mean <= WIDEST_INTERVAL * abs(found.mean):
        return "reproduced", "inside the interval"
    if _near(claim, found):
        return "reproduced", f"within {TOLERANCES[claim.kind]:.0%} of the mean"
    if inside:
        return "not reproduced", "inside an interval that is too wide to tell"
    return "not reproduced", _apart(claim, found)


def _shape(claim: Claim, found: Estimate) -> tuple[Verdict, str]:
    published, turns_at = _number(claim), claim.turns_at
    assert turns_at is not None
    if found.low <= turns_at <= found.high:
        return "not reproduced", f"not distinguishable from {turns_at:g}"
    if _near(claim, found):
        return "reproduced", f"within {TOLERANCES[claim.kind]:.0%}"
    if (found.mean - turns_at) * (published - turns_at) > 0:
        return "direction only", f"{_apart(claim, found)}, on the same side of {turns_at:g}"
    return "not reproduced", f"on the other side of {turns_at:g}"


def _comparison(claim: Claim, found: Estimate) -> tuple[Verdict, str]:
    """A difference has a published sign and size; an order is published as positive."""
    sign = math.copysign(1, _number(claim)) if claim.kind == "difference" else 1
    if found.mean * sign <= 0:
        return "not reproduced", "the opposite" if found.mean else "no difference"
    if found.seeds == 1:
        return "direction only", "the same direction, in a single seed"
    if min(found.low * sign, found.high * sign) <= 0:
        return "not reproduced", "not distinguishable from none"
    if claim.kind == "order":
        return "reproduced", "the same direction"
    if _inside(claim, found) or _near(claim, found):
        return "reproduced", "the same direction and size"
    return "direction only", "the same direction, another size"


def _number(claim: Claim) -> float:
    assert claim.number is not None, f"{claim.id} has no published number"
    return float(claim.number)


def _decimals(claim: Claim) -> int:
    """Return how many decimals were published."""
    exponent = claim.number.as_tuple().exponent if claim.number is not None else 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _half_unit(claim: Claim) -> float:
    """Return half of the last published digit: what rounding may have hidden."""
    return 0.5 * 10.0 ** -_decimals(claim)


def _rounds_to_zero(claim: Claim, distance: float) -> bool:
    """Say whether the published digits cannot show the distance; a tie rounds either way."""
    return distance <= _half_unit(claim) * (1 + 1e-6)


def _inside(claim: Claim, found: Estimate) -> bool:
    """Say whether the published number, as rounded, lies in the interval; NaN never does."""
    published, slack = _number(claim), _half_unit(claim)
    return found.low - slack <= published <= found.high + slack


def _near(claim: Claim, found: Estimate) -> bool:
    return _distance(claim, found) <= TOLERANCES[claim.kind]


def _distance(claim: Claim, found: Estimate) -> float:
    """Return how far the published number is from the mean, relative to the mean."""
    away = abs(_number(claim) - found.mean)
    return away / abs(found.mean) if found.mean else math.inf


def _apart(claim: Claim, found: Estimate) -> str:
    """Say how far apart they are: by a factor where that is the clearer, else by shares.

    The rule's share is of the reproduced mean; readers expect one of what was published.
    """
    factor = found.mean / _number(claim) if _number(claim) else math.inf
    if 0 < factor < math.inf and abs(math.log(factor)) > math.log(CLEARER_AS_FACTOR):
        return f"{factor:.2g} times the published"
    share, published = f"{_distance(claim, found):.1%} of the mean", _number(claim)
    if not published:
        return f"apart by {share}"
    away = (found.mean - published) / abs(published)
    return f"{abs(away):.1%} {'above' if away > 0 else 'below'} the published ({share})"


def _as_published(claim: Claim, value: float) -> str:
    return numbers.rounded(value, _decimals(claim))


def _numbers(claim: Claim, found: Estimate) -> str:
    """Return published and reproduced side by side, with the interval and the seeds."""
    found = _shown(claim, found)
    over = f" over {numbers.counted(found.seeds, 'seed')}" if found.seeds > 1 else ""
    if claim.kind == "order":
        margin = "the smallest margin" if isinstance(claim.quantity, Least) else "the margin"
        return f"{margin} is {_estimate(found)}{over}"
    if claim.kind == "difference":
        return (
            f"published {_better(_number(claim), _as_published(claim, abs(_number(claim))))}; "
            f"reproduced {_better(found.mean, _estimate(_towards_positive(found)))}{over}"
        )
    published = _as_published(claim, _number(claim))
    if claim.kind == "exact":
        equal = _rounds_to_zero(claim, abs(found.mean - _number(claim)))
        ours = published if equal else _as_published(claim, found.mean)
        return f"published {published}; reproduced {ours}"
    reproduced = _estimate(found) if found.seeds else numbers.rounded(found.mean)
    return f"published {published}; reproduced {reproduced}{over}"


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
