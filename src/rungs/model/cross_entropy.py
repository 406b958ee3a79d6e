"""The loss of a linear output layer, without ever holding all logits."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

ROWS_PER_CHUNK = 512
"""Tokens whose logits exist at one time: few enough to stay in a core's cache."""


class LinearCrossEntropy(torch.autograd.Function):
    """Mean cross entropy of ``hidden @ weight.T + bias``, a chunk of rows at a time.

    The gradient of a row's loss with respect to its logits is softmax(logits) - one_hot(target),
    which is at hand while the chunk's logits are: the forward pass computes the gradients of its
    three inputs at once, and the backward pass only scales them. torch has the same idea in
    ``linear_cross_entropy``, which takes longer here and imports torch's compiler (benchmarks/).
    """

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor
    ) -> Tensor:
        """Return the mean loss in nats, a scalar in the weight's precision.

        Under autocast only the matrix products are in the lower precision.

        Args:
            ctx: autograd's context.
            hidden: what the output layer reads, (n, width).
            weight: of the output layer, (vocabulary, width).
            bias: of the output layer, (vocabulary,), or none.
            targets: token ids, (n,).
        """
        device = hidden.device.type
        autocast = torch.is_autocast_enabled(device)
        dtype = torch.get_autocast_dtype(device) if autocast else weight.dtype
        x, w = hidden.to(dtype), weight.to(dtype)
        hidden_gradient = torch.empty_like(hidden)
        weight_gradient = torch.zeros_like(weight)
        bias_gradient = weight.new_zeros(len(weight))
        loss = weight.new_zeros(())
        for start in range(0, len(x), ROWS_PER_CHUNK):
            rows = slice(start, start + ROWS_PER_CHUNK)
            logits = (x[rows] @ w.T).to(weight.dtype)
            if bias is not None:
                logits += bias
            columns = targets[rows, None]
            log_probabilities = logits.log_softmax(1)
            loss -= log_probabilities.gather(1, columns).sum()
            probabilities = log_probabilities.exp_()
            probabilities.scatter_add_(1, columns, -weight.new_ones(columns.shape))
            error = probabilities.to(dtype)
            hidden_gradient[rows] = error @ w
            weight_gradient += error.T @ x[rows]
            bias_gradient += probabilities.sum(0)
        ctx.save_for_backward(hidden_gradient, weight_gradient, bias_gradient)
        ctx.rows = len(x)
        return loss / len(x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradients that the forward pass computed."""
        scale = gradient / ctx.rows
        by_hidden, by_weight, by_bias = (saved * scale for saved in ctx.saved_tensors)
        return by_hidden, by_weight, by_bias if ctx.needs_input_grad[2] else None, None
