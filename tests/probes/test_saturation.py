"""Sharpness of a softmax: by hand, by autograd, and where the chapter says it lies."""

import math
from pathlib import Path

import pytest
import torch

from rungs.probes import saturation
from rungs.probes.saturation import random_scores, sharpness
from tests.probes.stages import by_seed, run


def test_rows_of_known_sharpness() -> None:
    even = torch.full((3, 64), 1 / 64, dtype=torch.float64)
    found = sharpness(even)
    assert found["entropy"] == pytest.approx(math.log(64))
    assert found["effective_tokens"] == pytest.approx(64)
    assert found["jacobian"] == pytest.approx(1 - 1 / 64)
    assert found["frozen"] == 0
    chosen = torch.eye(64, dtype=torch.float64)
    assert sharpness(chosen) == {
        "entropy": 0, "effective_tokens": 1, "jacobian": 0, "frozen": 1,
    }  # fmt: skip
    both = sharpness(torch.cat([even, chosen[:1]]))
    assert both["frozen"] == 0.25
    assert both["effective_tokens"] == pytest.approx((3 * 64 + 1) / 4)


@pytest.mark.parametrize(("largest", "frozen"), [(0.989, 0), (0.991, 1)])
def test_frozen_is_more_than_99_hundredths(largest: float, frozen: int) -> None:
    rest = (1 - largest) / 63
    row = torch.tensor([[largest, *[rest] * 63]], dtype=torch.float64)
    assert sharpness(row)["frozen"] == frozen


def test_the_jacobian_is_the_derivative_of_the_softmax() -> None:
    scores = torch.randn(20, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
    assert sharpness(scores.softmax(-1)[None])["jacobian"] == pytest.approx(jacobian.trace().item())


def test_scores_are_dot_products_of_unit_variance() -> None:
    scores = random_scores(16, 2_000, torch.Generator().manual_seed(0))
    assert scores.shape == (2_000, 64)
    assert scores.var().item() == pytest.approx(16, rel=0.05)
    assert scores.mean().item() == pytest.approx(0, abs=0.1)


def test_the_chapters_widths(tmp_path: Path) -> None:
    """The division keeps every width as it is at 4; without it, 1,024 is frozen."""
    found = run(saturation, tmp_path, "--widths", 4, 256, 1024, "--rows", 2000, "--seeds", 1)
    for width in (4, 256, 1024):
        (jacobian,) = by_seed(found, "jacobian", width=width, divided="yes")
        assert jacobian == pytest.approx(0.96, abs=0.005)
        assert by_seed(found, "frozen", width=width, divided="yes") == [0]
    (tokens,) = by_seed(found, "effective_tokens", width=256, divided="no")
    assert 1 < tokens < 2
    (frozen,) = by_seed(found, "frozen", width=1024, divided="no")
    assert frozen == pytest.approx(0.7, abs=0.05)
