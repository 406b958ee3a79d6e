"""The training loop of one run."""

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rungs.errors import UserError
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import score, whole_text
from rungs.training.batches import training_batch
from rungs.training.budget import Budget
from rungs.training.checkpoint import Progress, load_checkpoint, save_checkpoint

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_CHECKPOINTS = 60
SECONDS_BETWEEN_LOG_LINES = 10


def train(
    model: LanguageModel,
    budget: Budget,
    seed: int,
    train_tokens: NDArray[np.uint16],
    validation_tokens: NDArray[np.uint16],
    checkpoint: Path,
    stop_requested: Callable[[], bool],
) -> list[dict[str, Any]]:
    """Train ``model`` in place for the budget's steps, from a checkpoint if there is one.

    Each step's batch and dropout come from (seed, step) alone, so that an interrupted run ends
    with the weights of an uninterrupted one.

    Args:
        model: a freshly initialised model, on the device to train on.
        budget: steps, batch size, context length, learning rate.
        seed: decides batches and dropout.
        train_tokens: the training split, (n,).
        validation_tokens: the validation split, (n,).
        checkpoint: where progress is kept while the run is unfinished.
        stop_requested: asked after each step.

    Returns:
        The history: every ``budget.validate_every`` steps and at the end, the mean training
        loss since the entry before, the validation loss (both nats per token), the learning
        rate, and the training tokens per second since the process started.

    Raises:
        UserError: a stop was requested, and progress is in the checkpoint; or training diverged.
    """
    device = model.embedding.weight.device
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=budget.learning_rate, weight_decay=budget.weight_decay, fused=True
    )
    progress = load_checkpoint(checkpoint, model, optimizer) or Progress(0, [], 0.0)
    if progress.step:
        logger.info("continuing at step %d from %s", progress.step, checkpoint)
    first_step, history = progress.step, progress.history
    loss_sum = torch.tensor(progress.loss_sum, dtype=torch.float64, device=device)
    steps_in_sum = first_step - (history[-1]["step"] if history else 0)
    started = checkpointed = logged = time.monotonic()
    validating = 0.0

    for step in range(first_step, budget.steps):
        for group in optimizer.param_groups:
            group["lr"] = budget.learning_rate_at(step)
        inputs, targets = training_batch(
            train_tokens, budget.batch_size, budget.context_length, seed, step
        )
        model.train()
        torch.manual_seed(seed * budget.steps + step)
        loss = model.loss(inputs.to(device), targets.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        loss_sum += loss.detach()
        steps_in_sum += 1

        done = step + 1
        if done % budget.validate_every == 0 or done == budget.steps:
            before = time.monotonic()
            training_loss = loss_sum.item() / steps_in_sum
            if not math.isfinite(training_loss):
                raise UserError(
                    f"the loss is {training_loss} at step {done}: training diverged; "
                    "lower the budget's learning_rate or give it warmup_steps"
                )
            rate = _rate(budget, done - first_step, before - started - validating)
            text = whole_text(validation_tokens, budget.context_length)
            validation = score(model, text, device)
            history.append(
                {
                    "step": done,
                    "training_loss": training_loss,
                    "validation_loss": validation.loss,
                    "learning_rate": budget.learning_rate_at(step),
                    "tokens_per_second": round(rate),
                }
            )
            loss_sum.zero_()
            steps_in_sum = 0
            validating += time.monotonic() - before
        now = time.monotonic()
        if now - logged > SECONDS_BETWEEN_LOG_LINES or done == budget.steps:
            logged = now
            rate = _rate(budget, done - first_step, now - started - validating)
            left = (budget.steps - done) * budget.batch_size * budget.context_length / rate
            logger.info(
                "step %d of %d, loss %.3f, %.0f tokens per second, %.0f s left",
                done, budget.steps, loss.item(), rate, left,
            )  # fmt: skip
        stopping = stop_requested() and done < budget.steps
        if stopping or now - checkpointed > SECONDS_BETWEEN_CHECKPOINTS:
            checkpointed = now
            save_checkpoint(checkpoint, model, optimizer, Progress(done, history, loss_sum.item()))
        if stopping:
            raise UserError(f"stopped at step {done} of {budget.steps}; run again to continue")
    return history


def _rate(budget: Budget, steps: int, seconds: float) -> float:
    return steps * budget.batch_size * budget.context_length / max(seconds, 1e-9)
