"""What the draws behind a claim say: their mean, one more of them, and where the published lies."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rungs.published.schema import Claim
from rungs.tables.intervals import OWN_SHARE_FROM, Estimate, estimate, one_more


@dataclass(frozen=True)
class Draws:
    """The draws of a claim's quantity, on the claim's scale.

    A quantity that ends somewhere (``at_most``) is measured by its distance from there, in
    factors: 5.9 of at most 6 is ten times as far from the end as 5.99.

    Attributes:
        sample: the draws, in ascending order.
        found: their mean with its interval.
        one_more: between what one more draw lies; NaN of a single one.
    """

    claim: Claim
    sample: Sequence[float]
    found: Estimate
    one_more: tuple[float, float]

    @classmethod
    def of(cls, claim: Claim, values: Iterable[float], seeded: bool) -> "Draws":
        """Collect draws; what is measured once, without seeds, is its own interval."""
        sample = sorted(values)
        if not seeded:
            found = Estimate(sample[0], math.nan, math.nan, 0)
            return cls(claim, sample, found, (sample[0], sample[0]))
        if len(sample) == 1:
            return cls(claim, sample, estimate(sample), (math.nan, math.nan))
        scaled = [_to_scale(claim, value) for value in sample]
        found = estimate(scaled)
        mean, low, high = (_from_scale(claim, x) for x in (found.mean, found.low, found.high))
        ends = tuple(_from_scale(claim, end) for end in one_more(scaled))
        return cls(claim, sample, replace(found, mean=mean, low=low, high=high), (ends[0], ends[1]))

    @property
    def published(self) -> float:
        """The published number."""
        assert self.claim.number is not None, f"{self.claim.id} has no published number"
        return float(self.claim.number)

    @property
    def distance(self) -> float:
        """How far our mean is from the published number, relative to the published."""
        away = abs(self.found.mean - self.published)
        return away / abs(self.published) if self.published else math.inf if away else 0.0

    @property
    def compatible(self) -> bool:
        """Whether the published number, as rounded, lies where one more draw of ours does."""
        low, high = self.one_more
        return low <= self.published <= high or any(map(self.claim.prints_as, self.one_more))

    @property
    def half(self) -> float:
        """Half the width of the interval for one more draw, on the scale."""
        low, high = (_to_scale(self.claim, end) for end in self.one_more)
        return (high - low) / 2

    @property
    def certain(self) -> bool:
        """Whether the mean is certainly where the statement is true."""
        low, high = self.claim.turns
        return (low is None or self._mean_low > low) and (high is None or self._mean_high < high)

    @property
    def opposite(self) -> bool:
        """Whether the mean is certainly where the opposite of the statement is true."""
        low, high = self.claim.turns
        return (low is not None and self._mean_high <= low) or (
            high is not None and self._mean_low >= high
        )

    @property
    def room(self) -> float:
        """From the published number to the nearest opposite, on the scale."""
        return self._room(self.published)

    @property
    def mean_room(self) -> float:
        """From our mean to the nearest opposite, on the scale."""
        return self._room(self.found.mean)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the draws, on the scale."""
        return statistics.stdev(_to_scale(self.claim, value) for value in self.sample)

    @property
    def equal(self) -> bool:
        """Whether there are several draws, all the same: of percentages of few sentences."""
        return self.found.seeds > 1 and self.sample[0] == self.sample[-1]

    @property
    def read_off(self) -> bool:
        """Whether there are so many that the interval for one more is read off them."""
        return len(self.sample) >= OWN_SHARE_FROM

    @property
    def _mean_low(self) -> float:
        return self.found.mean if math.isnan(self.found.low) else self.found.low

    @property
    def _mean_high(self) -> float:
        return self.found.mean if math.isnan(self.found.high) else self.found.high

    def _room(self, value: float) -> float:
        here = _to_scale(self.claim, value)
        turns = (_to_scale(self.claim, turn) for turn in self.claim.turns if turn is not None)
        return min(abs(here - turn) for turn in turns)


def _to_scale(claim: Claim, value: float) -> float:
    if claim.at_most is None:
        return value
    # What the published digits cannot tell from the end counts as that near to it.
    return -math.log(max(claim.at_most - value, claim.half_unit))


def _from_scale(claim: Claim, scaled: float) -> float:
    return scaled if claim.at_most is None else claim.at_most - math.exp(-scaled)
