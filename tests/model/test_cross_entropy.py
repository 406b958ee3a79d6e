"""The loss of the output layer against torch's, over chunks, extremes and precisions."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from rungs.model.cross_entropy import ROWS_PER_CHUNK, LinearCrossEntropy


def layer(rows: int, scale: float = 1.0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    hidden = (scale * torch.randn(rows, 6, dtype=torch.float64)).requires_grad_()
    weight = torch.randn(11, 6, dtype=torch.float64).requires_grad_()
    bias = torch.randn(11, dtype=torch.float64).requires_grad_()
    return hidden, weight, bias, torch.randint(0, 11, (rows,))


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("rows", [1, ROWS_PER_CHUNK, ROWS_PER_CHUNK + 1, 3 * ROWS_PER_CHUNK - 7])
def test_loss_and_gradients_equal_plain_cross_entropy(rows: int, scale: float) -> None:
    hidden, weight, bias, targets = layer(rows, scale)
    ours = LinearCrossEntropy.apply(hidden, weight, bias, targets)
    plain = F.cross_entropy(F.linear(hidden, weight, bias), targets)
    assert ours.item() == pytest.approx(plain.item(), rel=1e-12)
    gradients = torch.autograd.grad(3 * ours, (hidden, weight, bias))
    expected = torch.autograd.grad(3 * plain, (hidden, weight, bias))
    for found, wanted in zip(gradients, expected, strict=True):
        assert torch.allclose(found, wanted, rtol=1e-9, atol=1e-12 * scale)


def test_without_a_bias() -> None:
    hidden, weight, _, targets = layer(40)
    ours = LinearCrossEntropy.apply(hidden, weight, None, targets)
    plain = F.cross_entropy(hidden @ weight.T, targets)
    gradients = torch.autograd.grad(ours, (hidden, weight))
    for found, wanted in zip(gradients, torch.autograd.grad(plain, (hidden, weight)), strict=True):
        assert torch.allclose(found, wanted, rtol=1e-9, atol=1e-14)


def test_bfloat16_products_keep_float32_losses_and_gradients() -> None:
    hidden, weight, bias, targets = (
        t.float().detach() if t.is_floating_point() else t for t in layer(700)
    )
    exact = F.cross_entropy(F.linear(hidden, weight, bias), targets)
    weight.requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        loss = LinearCrossEntropy.apply(hidden.bfloat16(), weight, bias, targets)
    loss.backward()
    assert loss.dtype == weight.grad.dtype == torch.float32
    assert loss.item() == pytest.approx(exact.item(), rel=0.02)
    assert loss.item() != exact.item()
