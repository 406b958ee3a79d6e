"""Means and their intervals over seeds, and comparisons paired by seed."""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Sample = Mapping[int, float]
"""One number per seed."""

CONFIDENCE = 0.95
"""Of every interval; what is said of intervals has it from :func:`level`."""


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


def paired_difference(first: Sample, second: Sample) -> dict[int, float]:
    """Return first minus second for the seeds that both have."""
    return {seed: first[seed] - second[seed] for seed in sorted(first.keys() & second.keys())}
