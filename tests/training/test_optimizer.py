"""The optimiser against torch's own."""

import pytest
import torch

from rungs.training.optimizer import AdamW


@pytest.mark.parametrize("moments", [(0.9, 0.999), (0.9, 0.95)])
def test_bit_for_bit_what_torch_adamw_does(moments: tuple[float, float]) -> None:
    torch.manual_seed(0)
    ours = [torch.nn.Parameter(torch.randn(5, 3)), torch.nn.Parameter(torch.randn(7))]
    theirs = [torch.nn.Parameter(parameter.detach().clone()) for parameter in ours]
    optimizer = AdamW(ours, weight_decay=0.1, moments=moments)
    reference = torch.optim.AdamW(theirs, lr=1e-2, betas=moments, weight_decay=0.1, fused=True)
    for step in range(20):
        learning_rate = 1e-2 / (step + 1)
        reference.param_groups[0]["lr"] = learning_rate
        for mine, other in zip(ours, theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            other.grad = mine.grad.clone()
        optimizer.step(learning_rate)
        reference.step()
        for mine, other in zip(ours, theirs, strict=True):
            assert torch.equal(mine, other)
            assert mine.grad is None


def test_a_loaded_state_continues_the_same() -> None:
    torch.manual_seed(0)
    first = AdamW([torch.nn.Parameter(torch.randn(4))], 0.0, (0.9, 0.999))
    first.parameters[0].grad = torch.randn(4)
    first.step(0.1)
    second = AdamW([torch.nn.Parameter(first.parameters[0].detach().clone())], 0.0, (0.9, 0.999))
    second.load(first.state)
    for optimizer in (first, second):
        optimizer.parameters[0].grad = torch.ones(4)
        optimizer.step(0.1)
    assert torch.equal(first.parameters[0], second.parameters[0])
