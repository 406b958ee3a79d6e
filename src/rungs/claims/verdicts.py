"""Judge one claim by what was reproduced, and say why in words made of the numbers.

A published number is one draw, and so is each of ours: they are compared with one another, and
never with the interval of a mean. The rules, with their reasons: docs/decisions/verdicts.md.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rungs.claims.draws import Draws
from rungs.claims.wording import apart, as_published, numbers_of
from rungs.published.schema import Claim
from rungs.tables.intervals import OWN_SHARE_FROM, Estimate
from rungs.tables.numbers import counted
from rungs.tables.power import seeds_for_mean, seeds_for_one_more

Verdict = Literal["reproduced", "direction only", "undecided", "not reproduced", "not run"]

TOLERANCE = 0.03
"""A published number this near our mean, relative to the published, is not said to be missed.

Fixed before the results were known: two seeds of the chapter's first row end 2.6 % apart (60.96
and 59.4), so that a single published run is not known better than this."""

RESOLUTION = 0.10
"""An interval for one more draw that reaches further than this share of a published value to a
side tells nothing of it: whatever had been published would be found there."""

FIRST_LOOK = 3
"""Seeds from which a spread is known well enough to say how many are needed."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with the numbers it is made of.

    Attributes:
        reproduced: the mean with its interval, or the word; None where there is none.
        one_more: between what one more draw lies, NaN where no spread is known.
        seeds_to_decide: of what is undecided, how many seeds it takes, infinity where no number
            is enough; None of what is decided.
    """

    verdict: Verdict
    reason: str
    reproduced: Estimate | str | None = None
    one_more: tuple[float, float] = (math.nan, math.nan)
    seeds_to_decide: float | None = None


Conclusion = tuple[Verdict, str, float | None]
"""A verdict, why, and the seeds that would decide."""


def judge(claim: Claim, values: Iterable[float], seeded: bool = True) -> Judgement:
    """Judge a claim whose quantity is a number.

    Args:
        claim: the claim.
        values: the quantity, once per draw, in any order; at least one.
        seeded: whether it has draws; what is counted has a single value and no spread.
    """
    draws = Draws.of(claim, values, seeded)
    match claim.kind:
        case "check" | "every":
            verdict, why, needed = _fixed(claim, draws.sample)
        case _ if seeded and draws.found.seeds == 1:
            why = f"one seed has no spread; {FIRST_LOOK} would show it"
            verdict, needed = "undecided", float(FIRST_LOOK)
        case "value":
            verdict, why, needed = _value(claim, draws)
        case "difference" | "shape":
            verdict, why, needed = _effect(claim, draws)
        case "order":
            verdict, why, needed = _order(draws)
    varies = claim.kind not in ("check", "every")
    if varies and verdict == "not reproduced" and draws.equal and not draws.read_off:
        verdict, needed = "undecided", float(OWN_SHARE_FROM)
        why += ", and yet draws that are all equal show no spread"
    if needed is not None and draws.found.seeds > 1:
        why += f"; {_would_decide(needed)}"
    reason = f"{numbers_of(claim, draws)}: {why}"
    return Judgement(verdict, reason, draws.found, draws.one_more, needed)


def judge_word(claim: Claim, word: str) -> Judgement:
    """Judge a claim whose quantity is a word."""
    equal = word == claim.published
    published, found = (str(text).replace("_", " ") for text in (claim.published, word))
    return Judgement(
        "reproduced" if equal else "not reproduced",
        f"published {published}; reproduced {found}: {'equal' if equal else 'different'}",
        word,
    )


def _fixed(claim: Claim, sample: Sequence[float]) -> Conclusion:
    """It holds in every draw or does not; a single one that breaks it suffices."""
    if claim.published is not None and claim.between is None:
        if all(map(claim.prints_as, sample)):
            return "reproduced", "equal", None
        furthest = max(abs(value - float(claim.number or 0)) for value in sample)
        off = "off by" if len(sample) == 1 else "off by up to"
        return "not reproduced", f"{off} {as_published(claim, furthest)}", None
    low, high = claim.turns
    broken = [
        value
        for value in sample
        if (low is not None and value <= low) or (high is not None and value >= high)
    ]
    if not broken:
        return "reproduced", "it holds" if len(sample) == 1 else "it holds in every draw", None
    if len(sample) == 1:
        return "not reproduced", "it does not hold", None
    return "not reproduced", f"broken in {len(broken)} of {counted(len(sample), 'draw')}", None


def _value(claim: Claim, draws: Draws) -> Conclusion:
    """The published number is an ordinary draw of ours, where ours could have shown otherwise."""
    if not draws.compatible and draws.distance > TOLERANCE:
        return "not reproduced", apart(draws), None
    resolution = max(RESOLUTION * abs(draws.published), claim.half_unit)
    if draws.half > resolution:
        return "undecided", "too wide to tell", _seeds_for_one_more(draws, resolution)
    if draws.compatible:
        return "reproduced", "an ordinary draw", None
    return "reproduced", f"within {TOLERANCE:.0%} of the published", None


def _effect(claim: Claim, draws: Draws) -> Conclusion:
    """A sign or a side, by the interval of the mean, and a size, by that for one more draw."""
    agrees = draws.compatible or (claim.at_most is None and draws.distance <= TOLERANCE)
    wide = draws.half > draws.room
    if draws.certain:
        if not agrees:
            return "direction only", f"the same {_side(claim)}, {apart(draws)}", None
        if wide:
            needed = _seeds_for_one_more(draws, draws.room)
            return "direction only", f"the same {_side(claim)}, too wide for its size", needed
        return "reproduced", f"the same {_side(claim)} and size", None
    if not agrees:
        return "not reproduced", _missed(claim, draws), None
    if draws.opposite:
        why = f"{_missed(claim, draws)} on average, and yet one run shows the published"
        return "undecided", why, math.inf
    needed = max(
        _seeds_for_one_more(draws, draws.room) if wide else 0,
        seeds_for_mean(draws.deviation, draws.room),
    )
    if needed <= draws.found.seeds:  # so wide it may be, and the mean is nearer than the published
        needed = seeds_for_mean(draws.deviation, draws.mean_room)
    return "undecided", f"it cannot be told from {_turn(claim)}", needed


def _order(draws: Draws) -> Conclusion:
    """The margin is positive, by the interval of its mean."""
    if draws.certain:
        return "reproduced", "the same direction", None
    if draws.opposite:
        why = "the opposite" if draws.found.mean else "no difference"
        return "not reproduced", why, None
    needed = seeds_for_mean(draws.deviation, draws.mean_room)
    return "undecided", "it cannot be told from none", needed


def _seeds_for_one_more(draws: Draws, half: float) -> float:
    """Return the seeds that make the interval for one more draw narrow enough.

    That of many draws is the spread of the draws itself, which no further one narrows.
    """
    return math.inf if draws.read_off else seeds_for_one_more(draws.deviation, half)


def _would_decide(seeds: float) -> str:
    if math.isinf(seeds):
        return "no number of seeds would decide: single draws differ too much"
    return f"{counted(int(seeds), 'seed')} would decide"


def _side(claim: Claim) -> str:
    return "direction" if claim.kind == "difference" else "side"


def _turn(claim: Claim) -> str:
    if claim.kind == "difference":
        return "none"
    return " or ".join(f"{turn:g}" for turn in claim.turns if turn is not None)


def _missed(claim: Claim, draws: Draws) -> str:
    if not draws.opposite:
        return f"not told from {_turn(claim)}, and {apart(draws)}"
    return "the opposite" if claim.kind == "difference" else f"beyond {_turn(claim)}"
