"""The optimiser: AdamW, one fused call a step."""

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn
from torch.optim.adamw import adamw


class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2).

    Calls torch's own fused kernel with torch's default epsilon. ``torch.optim.AdamW`` does the
    same, and imports torch's compiler first: seconds at the start of every run.

    Args:
        parameters: all of them decay.
        weight_decay: per unit of the learning rate.
        moments: beta_1 and beta_2, how much of each moment's past a step keeps.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        weight_decay: float,
        moments: tuple[float, float],
    ) -> None:
        self.parameters: list[Tensor] = list(parameters)
        self.weight_decay = weight_decay
        self.beta1, self.beta2 = moments
        self.first_moments = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.second_moments = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.steps = [
            torch.zeros((), device=parameter.device, dtype=torch.float32)
            for parameter in self.parameters
        ]

    @property
    def state(self) -> dict[str, Tensor]:
        """Every tensor that an update reads or writes besides parameters and gradients."""
        named = {
            "first_moment": self.first_moments,
            "second_moment": self.second_moments,
            "step": self.steps,
        }
        return {
            f"{name}.{index}": tensor
            for name, tensors in named.items()
            for index, tensor in enumerate(tensors)
        }

    @torch.no_grad()
    def load(self, state: dict[str, Tensor]) -> None:
        """Continue from a ``state`` read from a checkpoint."""
        for name, tensor in self.state.items():
            tensor.copy_(state[name])

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Update every parameter from its gradient, and clear the gradients."""
        adamw(
            self.parameters,
            [cast("Tensor", parameter.grad) for parameter in self.parameters],
            self.first_moments,
            self.second_moments,
            [],
            self.steps,
            fused=True,
            amsgrad=False,
            beta1=self.beta1,
            beta2=self.beta2,
            lr=learning_rate,
            weight_decay=self.weight_decay,
            eps=1e-8,
            maximize=False,
        )
        for parameter in self.parameters:
            parameter.grad = None
