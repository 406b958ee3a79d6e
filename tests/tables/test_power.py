"""Seeds needed, against published tables of the paired t-test and against simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rungs.tables.power import (
    MOST_SEEDS,
    deviation_interval,
    power,
    seeds_needed,
    single_seed_noise,
)


# G*Power 3.1, means: difference between two dependent means, two-sided 5 %, power 80 %.
@pytest.mark.parametrize(
    ("standardised", "seeds"), [(0.2, 199), (0.3, 90), (0.5, 34), (0.8, 15), (1.0, 10), (2.0, 5)]
)
def test_known_sample_sizes(standardised: float, seeds: int) -> None:
    assert seeds_needed(standardised, 1.0) == seeds
    assert seeds_needed(-3 * standardised, 3.0) == seeds


def test_power_is_how_often_a_simulated_test_finds_the_difference() -> None:
    generator = np.random.default_rng(0)
    for seeds, effect in ((3, 2.0), (5, 1.0), (12, 0.5), (4, 0.0)):
        samples = generator.normal(effect, 1.0, (200_000, seeds))
        tested = stats.ttest_1samp(samples, 0.0, axis=1)
        found = (tested.pvalue < 0.05) & (tested.statistic > 0)
        # Four standard errors of a share of 200,000.
        assert power(seeds, effect, 1.0) == pytest.approx(found.mean(), abs=0.0045)


@given(st.floats(0.05, 50), st.floats(0.05, 50))
def test_needed_is_the_first_that_is_enough(effect: float, deviation: float) -> None:
    seeds = seeds_needed(effect, deviation)
    if math.isinf(seeds):
        assert effect / deviation < 0.01
    else:
        assert power(int(seeds), effect, deviation) >= 0.8
        assert seeds == 2 or power(int(seeds) - 1, effect, deviation) < 0.8


@given(st.integers(2, 100_000), st.floats(0, 1e6))
def test_power_is_a_probability_that_grows_with_the_effect(seeds: int, effect: float) -> None:
    assert 0.0249 <= power(seeds, effect, 1.0) <= power(seeds, 1.1 * effect, 1.0) + 1e-9 <= 1 + 1e-9


def test_what_has_no_spread_and_what_has_no_size() -> None:
    assert seeds_needed(0.1, 0.0) == 2
    assert seeds_needed(0.0, 1.0) == math.inf
    assert seeds_needed(1e-9, 1.0) == math.inf


@pytest.mark.parametrize(("effect", "enough"), [(0.0089, True), (0.0088, False), (0.0083, False)])
def test_more_than_the_most_seeds_is_infinity(effect: float, enough: bool) -> None:
    assert (power(MOST_SEEDS, effect, 1.0) >= 0.8) == enough
    assert math.isfinite(seeds_needed(effect, 1.0)) == enough


def test_noise_of_one_seed_and_interval_of_the_deviation() -> None:
    assert single_seed_noise(2.0, 3) == pytest.approx(2 * stats.t.ppf(0.975, 2))
    low, high = deviation_interval(1.5, 5)
    assert low == pytest.approx(1.5 * math.sqrt(4 / stats.chi2.ppf(0.975, 4)))
    assert high == pytest.approx(1.5 * math.sqrt(4 / stats.chi2.ppf(0.025, 4)))
