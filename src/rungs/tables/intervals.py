"""Means and their intervals over seeds, and comparisons paired by seed."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Sample = Mapping[int, float]
"""One number per seed."""

CONFIDENCE = 0.95
"""Of every interval; what is said of intervals has it from :func:`level`."""

OWN_SHARE_FROM = math.ceil((1 + CONFIDENCE) / (1 - CONFIDENCE) - 1e-9)
"""Draws from which an interval for one more is read off the draws themselves: of n, one more lies
between the least and the largest with probability (n - 1) / (n + 1), whatever the distribution."""


def level() -> str:
    """Return the confidence in words, ``95 %``."""
    return f"{100 * CONFIDENCE:g}\N{NO-BREAK SPACE}%"


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its interval; NaN where there is none."""

    mean: float
    low: float
    high: float
    seeds: int

    def columns(self, metric: str) -> dict[str, float]:
        """Return mean and interval under the names of the metric's columns."""
        return {metric: self.mean, f"{metric}_low": self.low, f"{metric}_high": self.high}


def estimate(values: Iterable[float]) -> Estimate:
    """Return the mean and Student's t interval, which do not depend on the order of the values.

    A single value has no interval; no value has no mean either.
    """
    # A third of a figure's start, and figures want only the words.
    from scipy.special import stdtrit

    numbers = list(values)
    if not numbers:
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = statistics.fmean(numbers)
    if len(numbers) == 1:
        return Estimate(mean, math.nan, math.nan, 1)
    # stdev is computed in exact arithmetic and fmean is rounded once: no order can show.
    error = statistics.stdev(numbers) / math.sqrt(len(numbers))
    half = float(stdtrit(len(numbers) - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(mean, mean - half, mean + half, len(numbers))


def one_more(values: Sequence[float]) -> tuple[float, float]:
    """Return the prediction interval: between what one more draw lies, as sure as intervals are.

    Of fewer than `OWN_SHARE_FROM` draws Student's, mean +- t s sqrt(1 + 1/n) (Whitmore, *Prediction
    limits for a univariate normal observation*, The American Statistician 40, 1986); of more, which
    need no distribution, the draws' own central share (Wilks 1941): one more draw falls between the
    k-th smallest and the k-th largest of n with probability (n + 1 - 2 k) / (n + 1).

    Args:
        values: at least two.
    """
    from scipy.special import stdtrit

    n = len(values)
    if n >= OWN_SHARE_FROM:
        ordered, k = sorted(values), int((n + 1) * (1 - CONFIDENCE) / 2)
        return ordered[k - 1], ordered[-k]
    mean = statistics.fmean(values)
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * statistics.stdev(values)
    half *= math.sqrt(1 + 1 / n)
    return mean - half, mean + half


def paired_difference(first: Sample, second: Sample) -> dict[int, float]:
    """Return first minus second for the seeds that both have."""
    return {seed: first[seed] - second[seed] for seed in sorted(first.keys() & second.keys())}
