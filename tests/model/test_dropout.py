"""Dropout at the chapter's three places, each by itself: in training only, and unbiased."""

import pytest
import torch
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.model.block import SubLayer, feed_forward
from rungs.model.language_model import LanguageModel

RATE = 0.3


def dropped_share(dropped: Tensor, plain: Tensor) -> float:
    """Check that every entry is zero or scaled by 1 / (1 - RATE); return the share of zeros."""
    zero = dropped == 0
    assert torch.allclose(dropped[~zero], plain[~zero] / (1 - RATE), rtol=1e-12)
    return zero.double().mean().item()


def test_attention_weights() -> None:
    """With values that are unit vectors, what attention returns is its weights."""
    tokens = 40
    torch.manual_seed(0)
    shape = Architecture(width=tokens, mixer="attention", dropout=RATE)
    layer = Attention(shape).double()
    x = torch.eye(tokens, dtype=torch.float64)[None]
    with torch.no_grad():
        layer.qkv.weight[2 * tokens :] = torch.eye(tokens, dtype=torch.float64)
    past = torch.ones(tokens, tokens).tril().bool()
    weights = layer.eval()(x)[0]
    assert torch.allclose(weights.sum(1), torch.ones(tokens, dtype=torch.float64))
    assert dropped_share(layer.train()(x)[0][past], weights[past]) == pytest.approx(RATE, abs=0.07)


@pytest.mark.parametrize("function", ["attention", "feed-forward"])
def test_output_of_a_sub_layer_before_it_is_added(function: str) -> None:
    torch.manual_seed(0)
    shape = Architecture(width=32, mixer="attention", normalization="pre", dropout=RATE)
    # The function's own dropout is another place.
    plain = shape.model_copy(update={"dropout": 0.0})
    module: nn.Module = Attention(plain) if function == "attention" else feed_forward(32)
    layer = SubLayer(module, shape).double()
    x = torch.randn(4, 20, 32, dtype=torch.float64)
    added = layer.eval()(x) - x
    torch.manual_seed(1)
    dropped = layer.train()(x) - x
    # What is added is exactly zero or scaled; subtracting x again leaves rounding.
    dropped = torch.where(dropped.abs() < 1e-12, 0.0, dropped)
    zero = dropped == 0
    assert torch.allclose(dropped[~zero], added[~zero] / (1 - RATE), rtol=1e-9, atol=1e-12)
    assert zero.double().mean().item() == pytest.approx(RATE, abs=0.05)


def test_sum_of_the_embeddings() -> None:
    """A model without sub-layers reads what is left of the embeddings."""
    torch.manual_seed(0)
    shape = Architecture(width=32, positions="learned", position_rows=20, dropout=RATE)
    model = LanguageModel(shape, 50).double()
    tokens = torch.randint(0, 50, (4, 20))
    table = model.position_table
    assert table is not None
    plain = model.embedding(tokens) + table.weight
    assert torch.equal(model.eval().hidden(tokens), plain)
    assert dropped_share(model.train().hidden(tokens), plain) == pytest.approx(RATE, abs=0.05)
