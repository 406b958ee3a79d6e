"""What is observed of attention, against closed forms."""

import math

import pytest
import torch

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel
from rungs.model.sharpness import sharpness

TOKENS = torch.arange(20).view(1, 20) % 7


def model(**keys: object) -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(Architecture(width=8, mixer="attention", **keys), 7)


def test_a_head_without_queries_averages() -> None:
    uniform = model()
    attention = next(m for m in uniform.modules() if isinstance(m, Attention))
    torch.nn.init.zeros_(attention.qkv.weight)
    (block,) = sharpness(uniform, TOKENS)
    expected = sum(math.log(n) for n in range(2, 21)) / 19
    assert block == {
        "score_std": 0.0, "entropy": pytest.approx(expected, rel=1e-12), "hard_share": 0.0,
    }  # fmt: skip


def test_a_head_of_huge_scores_selects() -> None:
    hard = model(divide_scores=False, positions="learned", position_rows=20)
    attention = next(m for m in hard.modules() if isinstance(m, Attention))
    torch.nn.init.normal_(attention.qkv.weight, std=1e3)
    (block,) = sharpness(hard, TOKENS)
    assert block["hard_share"] == 1.0
    assert block["entropy"] < 1e-9


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("causal", [True, False])
def test_the_map_applied_to_the_values_is_the_forward_pass(positions: str, causal: bool) -> None:
    if positions == "alibi" and not causal:
        pytest.skip("alibi is causal")
    torch.manual_seed(1)
    attention = Attention(
        Architecture(width=8, mixer="attention", heads=2, positions=positions, causal=causal)
    ).double()
    x = torch.randn(3, 10, 8, dtype=torch.float64)
    _, _, v = attention.queries_keys_values(x)
    mixed = attention.scores(x).softmax(-1) @ v
    expected = attention.output(mixed.transpose(1, 2).flatten(2))
    assert torch.allclose(attention(x), expected, rtol=0, atol=1e-12)


def test_one_entry_per_block_and_none_without_attention() -> None:
    assert len(sharpness(model(depth=3), TOKENS)) == 3
    assert sharpness(LanguageModel(Architecture(width=8), 7), TOKENS) == []
