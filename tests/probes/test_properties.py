"""Properties of the parts hold up to rounding, and would be seen not to hold."""

from pathlib import Path

import pytest
import torch
from torch import nn

from rungs.model.architecture import Architecture
from rungs.model.positions import Rotary
from rungs.probes import properties
from tests.probes.stages import by_seed, run


def found(seed: int) -> dict[tuple[int | str, int | str, str], float]:
    return {
        (row["measure"], row["precision"], metric): number
        for row, metric, number in properties.measure(seed)
    }


@pytest.mark.parametrize("seed", range(6))
def test_every_property_holds_up_to_rounding(seed: int) -> None:
    measured = found(seed)
    names = {name for name, _, _ in measured}
    assert len(names) == 10
    for name in names:
        difference = measured[name, "float32", "difference"]
        assert difference <= measured[name, "float32", "rounding"] < 1e-3, name
        assert measured[name, "float64", "difference"] < 1e-12, name


def test_a_layer_that_sees_the_future_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = properties.Attention

    def unmasked(shape: Architecture) -> nn.Module:
        return whole(shape.model_copy(update={"causal": False}))

    monkeypatch.setattr(properties, "Attention", unmasked)
    measured = found(0)
    for name in (
        "what was computed, later tokens changed",
        "the first tokens, read in a longer window",
    ):
        assert (
            measured[name, "float32", "difference"] > 1000 * measured[name, "float32", "rounding"]
        )


def test_a_gradient_on_the_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "zeros_like", torch.ones_like)
    measured = found(0)
    assert measured["a row no batch reads, its start decayed", "float64", "difference"] > 0.01


def test_turned_scores_are_those_of_the_models() -> None:
    """The probe turns complex numbers, the model pairs of features a half of a head apart."""
    rotary = Rotary(Architecture(width=128, heads=4, mixer="attention", positions="rotary"))
    x = torch.randn(100, 128, generator=torch.Generator().manual_seed(0))
    _, first, _ = properties._of_rotation(x)
    q, k = (rotary.turned(part[:, :32], torch.arange(100)) for part in (x, x.flip(0)))
    torch.testing.assert_close(first(torch.float32), q @ k.mT, atol=2e-4, rtol=0)


def test_the_stage_writes_what_was_measured(tmp_path: Path) -> None:
    measured = run(properties, tmp_path, "--seeds", 2)
    name = "rotary scores, all positions moved by 37"
    differences = by_seed(measured, "difference", measure=name, precision="float64")
    assert differences == [found(seed)[name, "float64", "difference"] for seed in range(2)]
