"""Attention against torch's implementations, positions against transformers' Llama and Bloom."""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention, UniformAverage
from rungs.model.positions import encoding_of

CPU = torch.device("cpu")
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-14}


def encoding(name: str, **shape: int) -> Any:
    """Return an encoding of positions by itself, of a model of this shape."""
    return encoding_of(Architecture(mixer="attention", positions=name, **shape))


def attention(dtype: torch.dtype = torch.float64, **settings: object) -> Attention:
    torch.manual_seed(1)
    return Attention(Architecture(width=32, mixer="attention", **settings)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_four_heads_equal_torchs_multihead_attention(dtype: torch.dtype) -> None:
    ours = attention(dtype, heads=4, attention_bias=True)
    theirs = nn.MultiheadAttention(32, 4, batch_first=True, dtype=dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.qkv.weight)
        theirs.in_proj_bias.copy_(ours.qkv.bias)
        theirs.out_proj.weight.copy_(ours.output.weight)
        theirs.out_proj.bias.copy_(ours.output.bias)
    x = torch.randn(3, 10, 32, dtype=dtype)
    mask = nn.Transformer.generate_square_subsequent_mask(10, dtype=dtype)
    expected, _ = theirs(x, x, x, attn_mask=mask, need_weights=False)
    assert torch.allclose(ours(x), expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("divide_scores", [True, False])
def test_single_head_is_the_formula(divide_scores: bool) -> None:
    """softmax(QK^T / sqrt(d_k) + mask) V, written out (Vaswani et al. 2017, equation 1)."""
    ours = attention(divide_scores=divide_scores)
    x = torch.randn(2, 7, 32, dtype=torch.float64)
    q, k, v = (x @ weight.T for weight in ours.qkv.weight.chunk(3))
    scores = q @ k.mT / (math.sqrt(32) if divide_scores else 1.0)
    future = torch.ones(7, 7, dtype=torch.bool).triu(1)
    expected = scores.masked_fill(future, -torch.inf).softmax(-1) @ v
    assert torch.allclose(ours(x), expected, rtol=0, atol=1e-13)
    assert isinstance(ours.output, nn.Identity)


def test_head_width_is_free_of_the_model_width() -> None:
    ours = attention(heads=2, head_width=48)
    x = torch.randn(2, 5, 32, dtype=torch.float64)
    assert ours.qkv.weight.shape == (3 * 96, 32)
    assert ours(x).shape == x.shape


def test_alibi_equals_attention_with_the_bias_written_out() -> None:
    ours = attention(heads=4, positions="alibi")
    x = torch.randn(2, 9, 32, dtype=torch.float64)
    q, k, v = ours.queries_keys_values(x)
    scores = q @ k.mT / math.sqrt(8)
    for head in range(4):
        for query in range(9):
            for key in range(9):
                penalty = 2.0 ** (-2 * (head + 1)) * (query - key)
                scores[:, head, query, key] += -penalty if key <= query else -torch.inf
    expected = ours.output((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
    assert torch.allclose(ours(x), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("heads", [1, 2, 4, 6, 8, 12])
def test_alibi_differs_from_blooms_by_a_constant_per_row(heads: int) -> None:
    """Bloom adds slope * key position; softmax ignores the difference, slope * query position."""
    tokens = 11
    bloom = build_alibi_tensor(torch.ones(1, tokens), heads, torch.float64).view(heads, tokens)
    alibi = encoding("alibi", width=48 if heads != 1 else 8, heads=heads)
    ours = alibi.bias(None, torch.arange(tokens), torch.arange(tokens)).double()
    for query in range(tokens):
        seen = slice(0, query + 1)
        difference = bloom[:, seen] - ours[:, query, seen]
        assert torch.allclose(difference, difference[:, :1].expand_as(difference), atol=1e-5)
    assert alibi.slopes.shape == (heads,)


def test_rotary_equals_llamas() -> None:
    tokens, head_width = 20, 32
    config = LlamaConfig(hidden_size=4 * head_width, num_attention_heads=4, head_dim=head_width)
    q, k = torch.randn(2, 3, 4, tokens, head_width).unbind()
    cosines, sines = LlamaRotaryEmbedding(config)(q, torch.arange(tokens)[None])
    expected_q, expected_k = apply_rotary_pos_emb(q, k, cosines, sines)
    rotary = encoding("rotary", width=4 * head_width, heads=4)
    assert torch.allclose(rotary.turned(q, torch.arange(tokens)), expected_q, rtol=0, atol=2e-6)
    assert torch.allclose(rotary.turned(k, torch.arange(tokens)), expected_k, rtol=0, atol=2e-6)


def test_rotary_scores_depend_on_distance_alone() -> None:
    q, k = torch.randn(2, 16, dtype=torch.float64)
    rotary = encoding("rotary", width=16)
    where = torch.arange(30)
    scores = rotary.turned(q.expand(30, 16), where) @ rotary.turned(k.expand(30, 16), where).T
    for distance in range(10):
        diagonal = scores.diagonal(-distance)
        assert torch.allclose(diagonal, diagonal[:1].expand_as(diagonal), rtol=0, atol=1e-5)


def test_sinusoids_are_the_papers_formula() -> None:
    table = encoding("sinusoidal", width=12).added(None, torch.arange(50))
    for position in (0, 1, 17, 49):
        for i in range(6):
            angle = position / 10_000 ** (2 * i / 12)
            assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-5)
            assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_uniform_average_is_the_running_mean() -> None:
    x = torch.randn(2, 13, 8, dtype=torch.float64)
    expected = torch.stack([x[:, : t + 1].mean(1) for t in range(13)], dim=1)
    assert torch.allclose(UniformAverage()(x), expected, rtol=0, atol=1e-14)


def test_dropout_acts_on_attention_weights_in_training_only() -> None:
    ours = attention(heads=4, dropout=0.5)
    plain = attention(heads=4)
    x = torch.randn(2, 6, 32, dtype=torch.float64)
    assert torch.equal(ours.eval()(x), plain(x))
    assert not torch.allclose(ours.train()(x), plain(x))
    assert F.mse_loss(torch.stack([ours(x) for _ in range(3000)]).mean(0), plain(x)).item() < 1e-3
