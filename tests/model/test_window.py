"""The window mixer against a loop over places, and the published counts of its first layer."""

import pytest
import torch
from pydantic import ValidationError

from rungs.model.accounting import count_parameters
from rungs.model.architecture import Architecture
from rungs.model.attention import Window


@pytest.mark.parametrize(("window", "parameters"), [(6, 197_120), (256, 8_389_120)])
def test_published_parameters(window: int, parameters: int) -> None:
    architecture = Architecture(width=64, mixer="window", window=window, hidden=512, residual=False)
    counts = count_parameters(architecture, 1_000)
    assert counts["window"] == parameters
    assert counts["output layer"] == 513 * 1_000
    assert counts["feed-forward"] == 0


def test_each_token_reads_the_last_few_and_zeros_before_the_first() -> None:
    torch.manual_seed(0)
    layer = Window(
        Architecture(width=5, mixer="window", window=3, hidden=7, residual=False)
    ).double()
    x = torch.randn(2, 9, 5, dtype=torch.float64)
    result = layer(x)
    weight = layer.hidden.weight.view(7, 5, 3)  # (hidden, feature, place), the current place last
    for token in range(9):
        expected = layer.hidden.bias.expand(2, 7).clone()
        for place in range(3):
            source = token - 2 + place
            if source >= 0:
                expected += x[:, source] @ weight[:, :, place].T
        assert torch.allclose(result[:, token], expected.tanh(), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"mixer": "window", "residual": False}, "window: a window mixer needs"),
        ({"window": 3}, "window: has no effect"),
        ({"hidden": 3}, "hidden: has no effect"),
        ({"mixer": "window", "window": 3}, "residual: false"),
        ({"mixer": "window", "window": 3, "residual": False, "depth": 2}, "drop depth"),
    ],
)
def test_nonsense_is_refused(keys: dict, word: str) -> None:
    with pytest.raises(ValidationError, match=word):
        Architecture(**keys)
