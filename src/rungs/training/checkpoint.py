"""Checkpoints from which a run continues bit for bit."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from rungs.errors import UserError
from rungs.files import replacing
from rungs.training.optimizer import AdamW


@dataclass(frozen=True)
class Progress:
    """How far a run has come, and what that took."""

    step: int = 0
    """Updates made."""
    history: list[dict[str, Any]] = field(default_factory=list)
    loss_sum: float = 0.0
    """Of the losses that are not in the history yet."""
    seconds: float = 0.0
    """Of the clock, over all processes of the run; what a killed one lost is not in it."""
    core_seconds: float = 0.0
    """Of processor cores, likewise."""
    diverged_at_step: int | None = None
    """The step at which the run ended, because its loss had no value; None of any other run."""


def save_checkpoint(path: Path, model: nn.Module, optimizer: AdamW, progress: Progress) -> None:
    """Write model, optimiser and progress to one safetensors file, atomically."""
    tensors = {f"model.{name}": tensor for name, tensor in _unshared_state(model).items()}
    tensors |= {f"optimizer.{name}": tensor for name, tensor in optimizer.state.items()}
    metadata = {
        "step": str(progress.step),
        "history": json.dumps(progress.history),
        "loss_sum": progress.loss_sum.hex(),
        "seconds": str(progress.seconds),
        "core_seconds": str(progress.core_seconds),
    }
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata)


def load_checkpoint(path: Path, model: nn.Module, optimizer: AdamW) -> Progress | None:
    """Restore model and optimiser in place; None when there is no whole checkpoint at ``path``."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (FileNotFoundError, SafetensorError):
        return None
    model.load_state_dict(_with_prefix(tensors, "model."), strict=False)
    optimizer.load(_with_prefix(tensors, "optimizer."))
    return Progress(
        step=int(metadata["step"]),
        history=json.loads(metadata["history"]),
        loss_sum=float.fromhex(metadata["loss_sum"]),
        seconds=float(metadata["seconds"]),
        core_seconds=float(metadata["core_seconds"]),
    )


def save_weights(path: Path, model: nn.Module) -> None:
    """Write the model's parameters to ``path`` as safetensors, atomically."""
    with replacing(path) as temporary:
        save_file(_unshared_state(model), temporary)


def load_weights(path: Path, model: nn.Module) -> None:
    """Read parameters written by `save_weights` into ``model``.

    Raises:
        UserError: the file is missing, cut short, or another architecture's.
    """
    if path.is_dir():
        raise UserError(f"{path}: is a folder; delete it and train the run again")
    try:
        # A tied parameter is stored once, under the name that is not missed.
        missing, unexpected = model.load_state_dict(load_file(path), strict=False)
    except (OSError, SafetensorError) as error:
        raise UserError(f"{path}: is missing or cut short; train the run again") from error
    except RuntimeError as error:  # torch's word for tensors of another shape
        raise UserError(f"{path}: holds another architecture's weights: {error}") from error
    stored = {name for name, _ in model.named_parameters()}
    if unexpected or stored.intersection(missing):
        raise UserError(f"{path}: holds another architecture's weights; train the run again")


def _unshared_state(model: nn.Module) -> dict[str, Tensor]:
    # safetensors refuses tensors that share memory; named_parameters lists a tied one once.
    return {name: parameter.detach().contiguous() for name, parameter in model.named_parameters()}


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
