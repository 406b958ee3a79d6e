"""A finished run as something to score: its model, of the very weights and tokens it describes.

A run that diverged has nothing to score: its last weights may have a loss, which is no result.
"""

from pathlib import Path
from typing import Any

import torch

from rungs.digest import refuse_undescribed
from rungs.files import read_json, write_json
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
        UserError: a file is missing or not the one that the run describes.
    """
    description = read_json(run / "run.json")
    with reading(run / "run.json"):
        int(description["parameters"])  # which the evaluation repeats
        model = LanguageModel(
            Architecture.model_validate(description["architecture"]), description["vocabulary"]
        ).to(device)
    weights = run / "model.safetensors"
    load_weights(weights, model)
    described = {"weights_sha256": weights, "train_sha256": train, "validation_sha256": validation}
    refuse_undescribed(description, run, described)
    return model, description


def write_diverged(run: Path, output: Path) -> str | None:
    """Write the evaluation of a run that diverged, which has no scores, and say so.

    Returns:
        None of a run that ended, of which nothing is written.
    """
    description = read_json(run / "run.json")
    with reading(run / "run.json"):
        step = description.get("diverged_at_step")
        return None if step is None else write_without_scores(description, step, output)


def write_without_scores(description: dict[str, Any], step: int, output: Path) -> str:
    """Write the evaluation of a run that has no loss after a step, and say so."""
    kept = {name: description[name] for name in ("parameters", "weights_sha256")}
    write_json(output, {**kept, "diverged_at_step": step})
    return f"{output}: the run diverged at step {step:,}, and has no scores"
