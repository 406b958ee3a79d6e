"""The variance of dot products: theory, and the seed alone decides the draw."""

import math
from pathlib import Path

import pytest

from rungs.probes import variance
from tests.probes.stages import by_seed, find, run

WIDTHS = [4, 16, 64]
PAIRS = 20_000


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_is_the_width(seed: int) -> None:
    """Within five standard errors: a product of two normals has an excess kurtosis of 6."""
    for row, metric, number in variance.measure(WIDTHS, PAIRS, seed):
        width = row["width"]
        assert isinstance(width, int)
        error = width * math.sqrt((2 + 6 / width) / PAIRS)
        found = number if metric == "variance" else number**2
        assert abs(found - width) < 5 * error


def test_the_stage_repeats_over_seeds(tmp_path: Path) -> None:
    words = ("--widths", *WIDTHS, "--pairs", 500, "--seeds", 3)
    found = run(variance, tmp_path, *words)
    draws = by_seed(found, "variance", width=16)
    assert len(set(draws)) == 3
    deviations = by_seed(found, "standard_deviation", width=16)
    assert deviations == pytest.approx([math.sqrt(draw) for draw in draws])
    assert find(found, "expected_standard_deviation", width=16).exact == 4
    assert run(variance, tmp_path, *words) == found
