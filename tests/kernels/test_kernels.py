"""The kernels compute causal attention: against each other, torch's own module, and a nudge."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from rungs.kernels.attention import AttentionLayer
from rungs.kernels.available import build_layer

WIDTH = 64
HEADS = 4
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6}


def _layer(kernel: str, tokens: int, dtype: torch.dtype) -> AttentionLayer:
    torch.manual_seed(0)
    return build_layer(kernel, tokens, WIDTH, HEADS).to(dtype)


def _torch_module(layer: AttentionLayer, dtype: torch.dtype) -> nn.MultiheadAttention:
    module = nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True, dtype=dtype)
    projections = [layer.query.weight, layer.key.weight, layer.value.weight]
    module.load_state_dict(
        {"in_proj_weight": torch.cat(projections), "out_proj.weight": layer.output.weight}
    )
    return module


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("kernel", ["naive", "tiled"])
@pytest.mark.parametrize("tokens", [1, 2, 37, 600])
def test_kernels_agree_with_multihead_attention(
    kernel: str, tokens: int, dtype: torch.dtype
) -> None:
    layer = _layer(kernel, tokens, dtype)
    reference = _torch_module(layer, dtype)
    activation = torch.randn(2, tokens, WIDTH, dtype=dtype)
    forbidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    with torch.no_grad():
        expected, _ = reference(activation, activation, activation, attn_mask=forbidden)
        actual = layer(activation)
    torch.testing.assert_close(actual, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_naive_and_tiled_compute_the_same(dtype: torch.dtype) -> None:
    tokens = 777  # past one tile of the fused kernel, and not a multiple of it
    naive, tiled = _layer("naive", tokens, dtype), _layer("tiled", tokens, dtype)
    activation = torch.randn(1, tokens, WIDTH, dtype=dtype)
    with torch.no_grad():
        torch.testing.assert_close(
            naive(activation), tiled(activation), rtol=0, atol=TOLERANCE[dtype]
        )


@pytest.mark.parametrize("kernel", ["naive", "tiled"])
@settings(max_examples=25, deadline=None)
@given(tokens=st.integers(2, 70), data=st.data())
def test_a_token_changes_only_itself_and_what_follows(
    kernel: str, tokens: int, data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, tokens - 1))
    layer = _layer(kernel, tokens, torch.float64)
    activation = torch.randn(1, tokens, WIDTH, dtype=torch.float64)
    nudged = activation.clone()
    nudged[:, position] += 1
    with torch.no_grad():
        change = (layer(nudged) - layer(activation)).abs().amax(dim=(0, 2))
    assert (change[:position] < 1e-13).all()
    assert (change[position:] > 1e-6).all()
