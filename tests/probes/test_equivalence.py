"""Our attention beside torch's: one function, and another one is not taken for it."""

from pathlib import Path

import pytest
import torch

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.probes import equivalence
from rungs.probes.agreement import agreement
from tests.probes.stages import by_seed, run


def test_all_four_are_one_function(tmp_path: Path) -> None:
    found = run(equivalence, tmp_path, "--seeds", 4)
    for first, second in equivalence.PAIRS:
        row = {"first": first, "second": second}
        differences = by_seed(found, "difference", **row, precision="float32")
        rounding = by_seed(found, "rounding", **row, precision="float32")
        assert all(d <= r < 1e-5 for d, r in zip(differences, rounding, strict=True))
        assert max(by_seed(found, "difference", **row, precision="float64")) < 1e-14
        assert min(by_seed(found, "magnitude", **row)) > 0.1


@pytest.mark.parametrize("change", [{"divide_scores": False}, {"causal": False}])
def test_another_attention_is_noticed(change: dict[str, bool]) -> None:
    torch.manual_seed(0)
    shape = Architecture(width=32, heads=4, mixer="attention")
    layer = Attention(shape)
    other = Attention(shape.model_copy(update=change))
    other.load_state_dict(layer.state_dict())
    x = torch.randn(2, 7, 32)
    with torch.no_grad():
        observed = agreement(
            {},
            lambda dtype: equivalence.formula(layer.to(dtype), x.to(dtype)),
            lambda dtype: other.to(dtype)(x.to(dtype)),
        )
    numbers = {(row["precision"], metric): number for row, metric, number in observed}
    assert numbers["float32", "difference"] > 1e3 * numbers["float32", "rounding"]
