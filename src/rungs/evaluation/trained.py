"""A finished run as something to score: its model, of the very weights and tokens it describes."""

from pathlib import Path
from typing import Any

import torch

from rungs.digest import refuse_undescribed
from rungs.errors import UserError
from rungs.files import read_json
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.reading import reading
from rungs.training.checkpoint import load_weights


def load_trained(
    run: Path, train: Path, validation: Path, device: torch.device
) -> tuple[LanguageModel, dict[str, Any]]:
    """Return a run's model and its ``run.json``.

    Args:
        run: the run's folder.
        train: its training tokens.
        validation: its validation tokens.
        device: where the model computes.

    Raises:
        UserError: a file is missing or not the one that the run describes, or training diverged, so
            that the last weights are no result, whatever loss they have.
    """
    description = read_json(run / "run.json")
    if step := description.get("diverged_at_step"):
        raise UserError(
            f"{run}: its training diverged at step {step:,}; lower the budget's learning_rate or "
            "give it warmup_steps"
        )
    with reading(run / "run.json"):
        model = LanguageModel(
            Architecture.model_validate(description["architecture"]), description["vocabulary"]
        ).to(device)
    weights = run / "model.safetensors"
    load_weights(weights, model)
    described = {"weights_sha256": weights, "train_sha256": train, "validation_sha256": validation}
    refuse_undescribed(description, run, described)
    return model, description
