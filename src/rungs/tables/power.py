"""How many seeds it takes to tell a paired difference from none, and what one seed can show.

A paired t-test of n seeds, two-sided. Under a true difference of ``effect`` its statistic follows
Student's noncentral t with n - 1 degrees of freedom and noncentrality sqrt(n) effect / deviation
(Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 2nd edition, 1988, chapter 2).
"""

import math
from collections.abc import Callable

from scipy.special import chdtri, nctdtr, stdtrit

from rungs.tables.intervals import CONFIDENCE

POWER = 0.80
MOST_SEEDS = 100_000
"""Where more would be needed, the difference is none for every purpose."""
FURTHEST = 30.0
"""Noncentrality beyond which SciPy's series fails here and there; the power is above 0.96 there."""


def power(seeds: int, effect: float, deviation: float) -> float:
    """Return the probability that the paired test over ``seeds`` seeds finds the difference.

    A test that rejects in the wrong direction has not found it: that tail, negligible wherever
    the power is of interest, is left out.

    Args:
        seeds: at least two.
        effect: the true difference, of either sign.
        deviation: the standard deviation of the paired difference over seeds, positive.
    """
    freedom = seeds - 1
    critical = _critical(seeds)
    noncentrality = min(math.sqrt(seeds) * abs(effect) / deviation, FURTHEST)
    return float(1 - nctdtr(freedom, noncentrality, critical))


def seeds_needed(effect: float, deviation: float) -> float:
    """Return the fewest seeds whose test finds the difference in four cases of five.

    Args:
        effect: the true difference.
        deviation: the standard deviation of the paired difference over seeds.

    Returns:
        At least 2, without which there is no test; infinity beyond ``MOST_SEEDS``.
    """
    if effect == 0:
        return math.inf
    if deviation == 0:
        return 2
    return _fewest(lambda n: power(n, effect, deviation) >= POWER)


def seeds_for_one_more(deviation: float, half: float) -> float:
    """Return the fewest seeds whose interval for one more run reaches at most ``half`` to a side.

    Infinity where no number does: it never gets narrower than the spread of single runs.
    """
    return _fewest(lambda n: _critical(n) * deviation * math.sqrt(1 + 1 / n) <= half)


def seeds_for_mean(deviation: float, half: float) -> float:
    """Return the fewest seeds whose interval of the mean reaches at most ``half`` to a side."""
    return _fewest(lambda n: _critical(n) * deviation / math.sqrt(n) <= half)


def _critical(seeds: int) -> float:
    return float(stdtrit(seeds - 1, (1 + CONFIDENCE) / 2))


def _fewest(suffices: Callable[[int], bool]) -> float:
    """Return the least number of seeds, two or more, from which a condition holds."""
    high = 2
    while not suffices(high):
        if high == MOST_SEEDS:
            return math.inf
        high = min(2 * high, MOST_SEEDS)
    low = high // 2  # not enough, or a single seed
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def single_seed_noise(deviation: float, seeds: int) -> float:
    """Return the largest difference that one seed shows by luck, as sure as intervals are.

    The two-sided range of one more paired difference, were there none in truth, when its
    standard deviation is known from ``seeds`` seeds (at least two).
    """
    return _critical(seeds) * deviation


def deviation_interval(deviation: float, seeds: int) -> tuple[float, float]:
    """Return the interval of a standard deviation that was estimated from ``seeds`` seeds."""
    freedom, tail = seeds - 1, (1 - CONFIDENCE) / 2
    low, high = (deviation * math.sqrt(freedom / chdtri(freedom, q)) for q in (tail, 1 - tail))
    return low, high
