"""Our count of operations against torch's own."""

from collections.abc import Callable

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from rungs.kernels.available import build_layer
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.planning.flops import attention_layer, forward, scoring, training_step

VOCABULARY, WINDOWS, TOKENS = 37, 3, 12

ARCHITECTURES = {
    "no context": {},
    "average": {"mixer": "average", "residual": False},
    "average, two deep": {"mixer": "average", "depth": 2, "feed_forward": True},
    "one head": {"mixer": "attention", "positions": "learned", "position_rows": TOKENS},
    "wide head": {"mixer": "attention", "head_width": 24, "divide_scores": False},
    "narrow heads": {"mixer": "attention", "heads": 3, "head_width": 4},
    "feed-forward alone": {"feed_forward": True},
    "block": {"mixer": "attention", "heads": 4, "feed_forward": True, "normalization": "pre"},
    "rotary": {"mixer": "attention", "heads": 4, "positions": "rotary"},
    "alibi": {"mixer": "attention", "heads": 4, "positions": "alibi"},
    "window": {"mixer": "window", "window": 5, "hidden": 24, "residual": False},
    "narrow window": {"mixer": "window", "window": 1, "residual": False},
    "no mask": {"mixer": "attention", "heads": 4, "causal": False},
    "deep": {
        "mixer": "attention", "heads": 2, "feed_forward": True, "normalization": "post", "depth": 3,
    },
    "tied": {"mixer": "attention", "heads": 2, "attention_bias": True, "tied_output": True},
}  # fmt: skip


def counted(work: Callable[[], object]) -> int:
    """Count with torch, attention as the plain formula: its tiled kernel computes scores twice."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def model_and_tokens(name: str) -> tuple[Architecture, LanguageModel, torch.Tensor]:
    architecture = Architecture.model_validate({"width": 16, **ARCHITECTURES[name]})
    return (
        architecture,
        LanguageModel(architecture, VOCABULARY),
        torch.zeros(WINDOWS, TOKENS).long(),
    )


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_forward_pass(name: str) -> None:
    architecture, model, tokens = model_and_tokens(name)
    ours = forward(architecture, VOCABULARY, WINDOWS, TOKENS)
    assert ours.total == counted(lambda: model(tokens))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_training_step(name: str) -> None:
    architecture, model, tokens = model_and_tokens(name)
    ours = training_step(architecture, VOCABULARY, WINDOWS, TOKENS)
    assert ours.total == counted(lambda: model.loss(tokens, tokens).backward())


def test_a_tiled_kernel_makes_one_more_product_backward() -> None:
    """The deliberate difference: of the seven products of a tiled kernel we count six."""
    architecture, _, _ = model_and_tokens("one head")
    attention = training_step(architecture, VOCABULARY, WINDOWS, TOKENS).attention
    query, key, value = torch.zeros(3, WINDOWS, 1, TOKENS, 16, device="meta").requires_grad_()
    aten = torch.ops.aten
    with FlopCounterMode(display=False) as counter:
        out, logsumexp, *rest = aten._scaled_dot_product_efficient_attention(
            query, key, value, None, True
        )
        aten._scaled_dot_product_efficient_attention_backward(
            out, query, key, value, None, out, logsumexp, *rest, 0.0, [True] * 3 + [False]
        )
    assert counter.get_total_flops() * 6 == attention * 7


def test_scoring_reads_every_token_once() -> None:
    architecture, model, _ = model_and_tokens("block")
    whole, last = torch.zeros(2, 5).long(), torch.zeros(1, 3).long()
    assert scoring(architecture, VOCABULARY, 13, 5).total == counted(
        lambda: (model(whole), model(last))
    )
    assert scoring(architecture, VOCABULARY, 10, 5) == forward(architecture, VOCABULARY, 2, 5)


@pytest.mark.parametrize("kernel", ["naive", "tiled"])
def test_a_kernel_point(kernel: str) -> None:
    layer, activation = build_layer(kernel, 24, 16, 4), torch.zeros(1, 24, 16)
    with torch.no_grad():
        assert attention_layer(24, 16).total == counted(lambda: layer(activation))
