"""Averages and attention: what is one function, and what is not, whatever the seed."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rungs.probes import averaging, averaging_matrix, masking
from rungs.probes.agreement import agreement
from rungs.probes.averaging import masked_softmax, running_mean
from tests.probes.stages import by_seed, find, run

SAME = (
    *("matrix_product", "masked_softmax", "shuffled_window"),
    *("permuted_without_mask", "permuted_prefix"),
)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measure", SAME)
def test_one_function_differs_by_rounding(measure: str, seed: int) -> None:
    found = {
        (row["precision"], metric): number
        for row, metric, number in averaging.measure(seed)
        if row["measure"] == measure
    }
    assert found["float32", "difference"] <= found["float32", "rounding"] < 2e-6
    assert found["float64", "difference"] < 1e-14


@pytest.mark.parametrize("seed", range(8))
def test_a_mask_brings_order(seed: int) -> None:
    """Permuted tokens see other prefixes, so that rounding explains nothing of the difference."""
    found = {
        metric: number
        for row, metric, number in averaging.measure(seed)
        if row == {"measure": "permuted_with_mask", "precision": "float32"}
    }
    assert found["difference"] > 1e4 * found["rounding"]


def test_rounding_does_not_explain_another_function() -> None:
    x = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))
    observed = agreement({}, lambda d: running_mean(x.to(d)), lambda d: x.to(d).mean(0) + 0 * x)
    numbers = {(row["precision"], metric): number for row, metric, number in observed}
    assert numbers["float32", "difference"] > 1e4 * numbers["float32", "rounding"]
    assert numbers["float64", "difference"] == pytest.approx(
        numbers["float32", "difference"], rel=1e-5
    )


def test_three_averages_are_the_running_mean() -> None:
    x = np.random.default_rng(0).normal(size=(9, 5))
    expected = np.cumsum(x, axis=0) / np.arange(1, 10)[:, None]
    tensor = torch.from_numpy(x)
    matrix = averaging_matrix.averaging_matrix(9, torch.float64)
    softmax = masked_softmax(9, torch.float64)
    for average in (running_mean(tensor), matrix @ tensor, softmax @ tensor):
        np.testing.assert_allclose(average, expected, rtol=1e-13)


def test_the_stage_repeats_over_seeds(tmp_path: Path) -> None:
    found = run(averaging, tmp_path, "--seeds", 3)
    assert len(found) == 6 * 3
    row: dict[str, int | str] = {"measure": "shuffled_window", "precision": "float32"}
    assert by_seed(found, "difference", **row) == [
        number
        for seed in range(3)
        for observed, metric, number in averaging.measure(seed)
        if observed == row and metric == "difference"
    ]


def test_the_matrix_is_the_chapters(tmp_path: Path) -> None:
    found = run(averaging_matrix, tmp_path)
    rows = [[f"{m.exact:.3f}" for m in found if m.row["position"] == p] for p in range(1, 7)]
    assert rows == [
        ["1.000", "0.000", "0.000", "0.000", "0.000", "0.000"],
        ["0.500", "0.500", "0.000", "0.000", "0.000", "0.000"],
        ["0.333", "0.333", "0.333", "0.000", "0.000", "0.000"],
        ["0.250", "0.250", "0.250", "0.250", "0.000", "0.000"],
        ["0.200", "0.200", "0.200", "0.200", "0.200", "0.000"],
        ["0.167", "0.167", "0.167", "0.167", "0.167", "0.167"],
    ]
    assert all((m.row["future"] == "yes") == (m.exact == 0) for m in found)


def test_only_minus_infinity_masks_whatever_the_scores(tmp_path: Path) -> None:
    found = run(masking, tmp_path)
    words = {m.row["stand_in"]: m.exact for m in found if m.metric == "in_float16"}
    assert words == {"minus infinity": "minus infinity", "-1e9": "minus infinity", "-1e4": "-10000"}
    for metric in masking.ALLOWED_SCORES:
        assert find(found, metric, stand_in="minus infinity").exact == 0
    # Once scores have run away, the constant is no longer below all of them.
    assert find(found, "weight_at_initialisation", stand_in="-1e4").exact == 0
    assert find(found, "weight_after_collapse", stand_in="-1e4").exact == 1
