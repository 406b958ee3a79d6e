"""The rules as a procedure: how often they err where the truth is known, and at what cost."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from rungs.claims.verdicts import RESOLUTION, judge
from rungs.published.schema import Claim
from rungs.tables.intervals import one_more
from rungs.tables.power import seeds_for_mean, seeds_for_one_more
from tests.claims.test_claims import claim_of

TRIALS = 500
SLACK = 2.33 * math.sqrt(0.05 * 0.95 / TRIALS)
"""What a rate of 5 % exceeds in one case of a hundred by luck; the seeds are fixed."""


def verdicts(claim: Claim, draws: np.ndarray) -> Counter[str]:
    """Count the verdicts of several experiments, (trials, seeds)."""
    return Counter(judge(claim, sample).verdict for sample in draws.tolist())


@pytest.mark.parametrize("seeds", [3, 5, 10, 50])
@pytest.mark.parametrize(
    ("kind", "mean", "deviation"),
    [("value", 40.0, 1.0), ("difference", 4.0, 1.0), ("difference", 0.0, 1.0)],
)
def test_one_of_our_own_draws_is_seldom_missed_whatever_the_number_of_seeds(
    kind: str, mean: float, deviation: float, seeds: int
) -> None:
    random = np.random.default_rng(seeds)
    found: Counter[str] = Counter()
    for _ in range(TRIALS):
        published, *ours = random.normal(mean, deviation, seeds + 1).tolist()
        found[judge(claim_of(kind, f"{published:.4f}"), ours).verdict] += 1
    assert found["not reproduced"] / TRIALS <= 0.05 + SLACK


@pytest.mark.parametrize("seeds", [3, 5, 10, 50])
def test_draws_that_are_mostly_equal_are_as_seldom_missed(seeds: int) -> None:
    """Of accuracies that are 100 % in six runs of seven, three are equal in most experiments."""
    random = np.random.default_rng(seeds)
    found: Counter[str] = Counter()
    for _ in range(TRIALS):
        published, *ours = random.choice([100.0, 87.5], seeds + 1, p=[6 / 7, 1 / 7]).tolist()
        found[judge(claim_of("value", f"{published}"), ours).verdict] += 1
    assert found["reproduced"] > TRIALS / 10
    assert found["not reproduced"] / TRIALS <= 0.05 + SLACK


def test_equal_draws_contradict_from_the_number_on_that_needs_no_distribution() -> None:
    claim = claim_of("value", "87.5")
    found = judge(claim, [100.0] * 38)
    assert (found.verdict, found.seeds_to_decide) == ("undecided", 39)
    assert judge(claim, [100.0] * 39).verdict == "not reproduced"
    assert judge(claim_of("value", "100.0"), [100.0] * 3).verdict == "reproduced"
    assert judge(claim_of("order"), [0.0] * 3).verdict == "undecided"


@pytest.mark.parametrize("seeds", [3, 5, 10, 50])
def test_an_effect_that_is_absent_is_seldom_confirmed(seeds: int) -> None:
    """Its sign is certain by luck in one case of forty, its size as well in fewer."""
    draws = np.random.default_rng(seeds).normal(0.0, 1.0, (TRIALS, seeds))
    found = verdicts(claim_of("difference", "1.0"), draws)
    certain = (found["reproduced"] + found["direction only"]) / TRIALS
    assert certain <= 0.025 + 2.33 * math.sqrt(0.025 * 0.975 / TRIALS)
    ordered = verdicts(claim_of("order"), draws)
    assert ordered["reproduced"] / TRIALS <= 0.025 + 2.33 * math.sqrt(0.025 * 0.975 / TRIALS)


def test_more_seeds_confirm_a_true_number_more_often() -> None:
    random = np.random.default_rng(1)
    rates = [
        verdicts(claim_of("value", "40.5"), random.normal(40, 1, (TRIALS, n)))["reproduced"]
        for n in (3, 5, 10, 50)
    ]
    assert rates == sorted(rates)
    assert rates[-1] == TRIALS


@pytest.mark.parametrize("kind", ["value", "difference"])
def test_twice_the_resolution_is_found_at_the_stated_number_of_seeds(kind: str) -> None:
    published, deviation = 40.0, 1.5
    resolution = RESOLUTION * published if kind == "value" else published
    deviation = deviation if kind == "value" else 12.0
    seeds = int(seeds_for_one_more(deviation, resolution))
    truth = published + 2 * resolution if kind == "value" else published - 2 * resolution
    draws = np.random.default_rng(2).normal(truth, deviation, (TRIALS, seeds))
    assert verdicts(claim_of(kind, "40.0"), draws)["not reproduced"] / TRIALS >= 0.95


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=60))
def test_one_more_is_scipys_prediction_interval(values: Sequence[float]) -> None:
    n, deviation = len(values), float(np.std(values, ddof=1))
    expected = t.interval(0.95, n - 1, np.mean(values), deviation * math.sqrt(1 + 1 / n))
    if deviation > 1e-6:
        assert one_more(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("draws", [100, 333, 1000])
def test_one_more_of_hundreds_lies_within_as_often_as_said(draws: int) -> None:
    """Whatever the distribution: the expected share between order statistics is exact."""
    random = np.random.default_rng(draws)
    shares = []
    for _ in range(200):
        low, high = one_more(random.exponential(size=draws).tolist())
        shares.append(math.exp(-low) - math.exp(-high))
    assert 0.945 <= np.mean(shares) <= 0.965


@pytest.mark.parametrize("half", [0.3, 1.0, 2.5, 4.0])
def test_the_stated_seeds_are_the_fewest(half: float) -> None:
    for stated, root in ((seeds_for_mean(1.0, half), lambda n: 1 / n),
                         (seeds_for_one_more(1.0, half), lambda n: 1 + 1 / n)):  # fmt: skip
        if math.isinf(stated):
            assert half < norm.ppf(0.975)
            continue
        n = int(stated)
        assert t.ppf(0.975, n - 1) * math.sqrt(root(n)) <= half
        assert n == 2 or t.ppf(0.975, n - 2) * math.sqrt(root(n - 1)) > half


def test_the_stated_seeds_decide_in_most_cases_and_are_asked_for_by_the_width_alone() -> None:
    random = np.random.default_rng(3)
    decided, asked = 0, 0
    for sample in random.normal(40.0, 1.2, (100, 400)).tolist():
        first = judge(claim_of("value", "40.0"), sample[:4])
        # Another published number of the same size asks for as many: its verdict plays no part.
        other = judge(claim_of("value", "39.9"), sample[:4])
        if first.seeds_to_decide is not None and first.seeds_to_decide <= 400:
            assert other.seeds_to_decide == pytest.approx(first.seeds_to_decide, rel=0.05, abs=1)
            asked += 1
            then = judge(claim_of("value", "40.0"), sample[: int(first.seeds_to_decide)])
            decided += then.verdict != "undecided"
    assert asked >= 20
    assert decided / asked >= 0.5


@pytest.mark.parametrize("kind", ["check", "every"])
def test_what_cannot_vary_is_broken_by_equal_draws_all_the_same(kind: str) -> None:
    found = judge(claim_of(kind, "0.000"), [0.5] * 5)
    assert (found.verdict, found.seeds_to_decide) == ("not reproduced", None)
