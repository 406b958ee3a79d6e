"""The fit behind a calibration, on works whose rates are known."""

import math

import pytest

from rungs.planning import calibrate
from rungs.planning.machine import Rates

RATES = Rates(linear=2e-11, attention=4e-11, elements=3e-9, logits=8e-9, calls=1e-4, passes=2e-3)


def test_the_fit_finds_the_rates_behind_exact_times() -> None:
    works = [calibrate.step_work(*probe) for probe in calibrate.PROBES]
    found = Rates(**calibrate.fit(works, [RATES.seconds(work) for work in works]))
    for name, rate in RATES.model_dump().items():
        assert getattr(found, name) == pytest.approx(rate, rel=1e-6), name


def test_noisy_times_give_predictions_within_the_noise() -> None:
    works = [calibrate.step_work(*probe) for probe in calibrate.PROBES]
    noise = [1 + 0.05 * math.sin(7 * index) for index in range(len(works))]
    times = [RATES.seconds(work) * n for work, n in zip(works, noise, strict=True)]
    found = Rates(**calibrate.fit(works, times))
    for work in works:
        assert found.seconds(work) == pytest.approx(RATES.seconds(work), rel=0.1)


def test_no_rate_is_negative() -> None:
    works = [calibrate.step_work(*probe) for probe in calibrate.PROBES]
    found = calibrate.fit(works, [1.0] * len(works))
    assert min(found.values()) >= 0


def test_a_probe_times_the_package_s_own_steps() -> None:
    assert calibrate.training_seconds({}, 300, 2, 8) > 0
    assert calibrate.scoring_seconds({}, 300, 2, 8) > 0
