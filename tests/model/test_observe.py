"""What is observed of attention, against closed forms."""

import math

import pytest
import torch

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel
from rungs.model.observe import attention_statistics

TOKENS = torch.arange(20).view(1, 20) % 7


def model(**keys: object) -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(Architecture(width=8, mixer="attention", **keys), 7)


def test_a_head_without_queries_averages() -> None:
    uniform = model()
    attention = next(m for m in uniform.modules() if isinstance(m, Attention))
    torch.nn.init.zeros_(attention.qkv.weight)
    (block,) = attention_statistics(uniform, TOKENS)
    expected = sum(math.log(n) for n in range(2, 21)) / 19
    assert block == {
        "score_std": 0.0, "entropy": pytest.approx(expected, rel=1e-12), "saturated_share": 0.0,
    }  # fmt: skip


def test_a_head_of_huge_scores_selects() -> None:
    hard = model(divide_scores=False, positions="learned", position_rows=20)
    attention = next(m for m in hard.modules() if isinstance(m, Attention))
    torch.nn.init.normal_(attention.qkv.weight, std=1e3)
    (block,) = attention_statistics(hard, TOKENS)
    assert block["saturated_share"] == 1.0
    assert block["entropy"] < 1e-9


def test_one_entry_per_block_and_none_without_attention() -> None:
    assert len(attention_statistics(model(depth=3), TOKENS)) == 3
    assert attention_statistics(LanguageModel(Architecture(width=8), 7), TOKENS) == []
