"""Numbers as the figures and the page show them."""

import math

from rungs.tables.intervals import level

MINUS = "\N{MINUS SIGN}"
INTERVAL = f"{level()} t\N{NON-BREAKING HYPHEN}interval"
OVER_SEEDS = f"{level()} interval over seeds"
"""What the legends of figures call it."""

FURTHER = 4
"""Decimals beyond its size that a mean gets for a narrow interval; a narrower one is rounding."""


def rounded(value: float, decimals: int | None = None) -> str:
    """Return ``value`` with the digits its size deserves: 1.8e-7, 0.0498, 7.31, 248.0, 1,204.

    Args:
        value: a measured number.
        decimals: the decimals to use instead, so that an interval has those of its mean.
    """
    places = decimals_for(value) if decimals is None else decimals
    if places is None:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", MINUS)
    return f"{value:,.{places}f}".replace("-", MINUS)


def decimals_for(value: float) -> int | None:
    """Return how many decimals a mean of this size is shown with; none if it needs an exponent."""
    if 0 < abs(value) < 0.001:
        return None
    for limit, places in ((0.1, 4), (1, 3), (10, 2), (1_000, 1)):
        if abs(value) < limit:
            return places if value else 2
    return 0


def estimate(mean: float, low: float, high: float, seeds: float) -> str:
    """Return a mean with its interval, ``38.9 [38.1, 39.7]``, or ``38.9 (1 seed)``.

    A missing mean gives an empty string.
    """
    if math.isnan(mean):
        return ""
    if math.isnan(low) or math.isnan(high):
        return f"{rounded(mean)} ({counted(int(seeds), 'seed')})"
    return f"{rounded(mean, _places(mean, low, high))} {interval(mean, low, high)}"


def interval(mean: float, low: float, high: float) -> str:
    """Return an interval, ``[38.1, 39.7]``, with the digits that its mean and width deserve."""
    places = _places(mean, low, high)
    return f"[{rounded(low, places)}, {rounded(high, places)}]"


def _places(mean: float, low: float, high: float) -> int | None:
    places = decimals_for(mean)
    return None if places is None else places + _more_places(high - low, places)


def _more_places(width: float, places: int) -> int:
    """Return how many more decimals an interval needs in order to be seen, at most ``FURTHER``."""
    if width <= 0 or width >= 10.0**-places:
        return 0
    more = math.ceil(-math.log10(width)) - places
    return more if more <= FURTHER else 0


def signed_estimate(mean: float, low: float, high: float, seeds: float) -> str:
    """Return a difference with its interval, its sign always shown."""
    text = estimate(mean, low, high, seeds)
    return f"+{text}" if mean > 0 else text


def as_published(value: float, *, signed: bool = False) -> str:
    """Return a published value as the table has it, or an empty string.

    Tables hold numbers, not what was printed: 2.50 is 2.5 here, and 1,015.562 is 1,015.56. The
    verdicts' reasons have the published digits.
    """
    if math.isnan(value):
        return ""
    tiny = decimals_for(value) is None
    text = rounded(value) if tiny else f"{value:,.10g}".replace("-", MINUS)
    return f"+{text}" if signed and value > 0 else text


def counted(count: int, noun: str) -> str:
    """Return ``1 seed``, ``3 seeds``, ``10,000 seeds``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
