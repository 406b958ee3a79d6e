"""The training loop of one run."""

import logging
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rungs.errors import UserError
from rungs.model.language_model import LanguageModel
from rungs.model.observe import attention_statistics
from rungs.model.scoring import LARGEST_LOSS, evenly_spaced, score, whole_text
from rungs.training.batches import training_batch
from rungs.training.budget import Budget
from rungs.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from rungs.training.optimizer import AdamW
from rungs.training.stopwatch import Stopwatch

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_CHECKPOINTS = 60
SECONDS_BETWEEN_LOG_LINES = 10
OBSERVED_WINDOWS = 16


def train(
    model: LanguageModel,
    budget: Budget,
    seed: int,
    train_tokens: NDArray[np.uint16],
    validation_tokens: NDArray[np.uint16],
    checkpoint: Path,
    stop_requested: Callable[[], bool],
    until: int | None = None,
) -> Progress:
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
        until: the step after which no more are made; the budget's last by default.

    Returns:
        The whole run, or as much as there is of one that diverged: it ends at the first step whose
        training loss is not finite, or at the first validation whose loss has no perplexity.
        Its history has, every ``budget.validate_every`` steps and at the end, the mean training
        loss since the entry before, the validation loss (both nats per token), the learning rate,
        and the training tokens per second since the process started. With
        ``budget.observe_attention`` an entry at step 0 comes first, without a training loss, and
        every entry has ``attention``: the statistics of each block on windows of the validation
        split.

    Raises:
        UserError: a stop was requested, and progress is in the checkpoint.
    """
    device = model.embedding.weight.device
    optimizer = AdamW(model.parameters(), budget.weight_decay, budget.moments)
    progress = load_checkpoint(checkpoint, model, optimizer) or Progress()
    if progress.step:
        logger.info("continuing at step %d from %s", progress.step, checkpoint)
    history = progress.history
    loss_sum = torch.tensor(progress.loss_sum, dtype=torch.float64, device=device)
    stopwatch = Stopwatch(budget, progress)
    autocast = torch.autocast(
        device.type, torch.bfloat16, enabled=budget.precision == "bfloat16", cache_enabled=False
    )

    def entry_at(done: int, training_loss: float | None) -> dict[str, Any]:
        text = whole_text(validation_tokens, budget.context_length)
        entry: dict[str, Any] = {
            "step": done,
            "training_loss": training_loss,
            "validation_loss": score(model, text, device).loss,
            "learning_rate": budget.learning_rate_at(max(done - 1, 0)),
            "tokens_per_second": round(stopwatch.tokens_per_second(done)) if done else None,
        }
        if budget.observe_attention:
            windows = evenly_spaced(validation_tokens, budget.context_length, OBSERVED_WINDOWS)
            inputs, _ = next(windows)
            entry["attention"] = attention_statistics(model, inputs.to(device))
        return entry

    def so_far(done: int) -> Progress:
        taken = stopwatch.seconds(), stopwatch.core_seconds()
        return Progress(done, history, loss_sum.item(), *taken)

    def diverged_at(step: int) -> Progress:
        logger.warning(
            "the loss has no value at step %d: training diverged; lower the budget's "
            "learning_rate or give it warmup_steps", step,
        )  # fmt: skip
        return replace(so_far(step - 1), diverged_at_step=step)

    if budget.observe_attention and not history:
        with stopwatch.paused():
            history.append(entry_at(0, None))
    until = until or budget.steps
    for step in range(progress.step, until):
        inputs, targets = training_batch(train_tokens, budget, seed, step)
        model.train()
        torch.manual_seed(seed * budget.steps + step)
        with autocast:
            loss = model.loss(inputs.to(device), targets.to(device))
        done = step + 1
        if not math.isfinite(loss.item()):
            return diverged_at(done)
        loss.backward()
        optimizer.step(budget.learning_rate_at(step))
        loss_sum += loss.detach()

        last = done == budget.steps
        if done % budget.validate_every == 0 or last:
            with stopwatch.paused():
                steps_in_sum = (done - 1) % budget.validate_every + 1
                entry = entry_at(done, loss_sum.item() / steps_in_sum)
            if not entry["validation_loss"] <= LARGEST_LOSS:
                return diverged_at(done)
            history.append(entry)
            loss_sum.zero_()
        if stopwatch.every(SECONDS_BETWEEN_LOG_LINES, "log") or last:
            logger.info(
                "step %d of %d, loss %.3f, %.0f tokens per second, %.0f s left",
                done, budget.steps, loss.item(),
                stopwatch.tokens_per_second(done), stopwatch.seconds_left(done),
            )  # fmt: skip
        stopping = stop_requested() and not last
        if stopping or stopwatch.every(SECONDS_BETWEEN_CHECKPOINTS, "checkpoint"):
            save_checkpoint(checkpoint, model, optimizer, so_far(done))
        if stopping:
            raise UserError(f"stopped at step {done} of {budget.steps}; run again to continue")
    return so_far(until)
