"""The loss curves that a refactor must leave alone: 100 steps of every trained variant, seed 0.

Small batches of a made-up language, since what is held here is the arithmetic, not the quality.
`python -m tests.training.golden` records them again, after a change that is meant to change them.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from rungs.config import Config, read_config
from rungs.model.language_model import LanguageModel
from rungs.training.budget import Budget
from rungs.training.loop import train

CURVES = Path(__file__).with_name("golden_curves.json")
VOCABULARY = 64
WINDOW = 16


def shipped() -> Config:
    """Return the configuration as shipped."""
    return read_config(Path(__file__).parents[2] / "config.yaml")


def trained_variants(config: Config) -> list[str]:
    """Return every variant that an experiment trains, one of those that are the same model."""
    trained = {run.variant for name in config.experiments for run in config.runs(name)}
    models = {config.variants[name].architecture(): name for name in sorted(trained, reverse=True)}
    return sorted(models.values())


def tokens(count: int) -> NDArray[np.uint16]:
    """Return tokens of which each follows from the two before it, but for some noise."""
    state, noise = [1, 2], 1
    while len(state) < count:
        noise = (1_103_515_245 * noise + 12_345) % 2**31
        surprise = noise % 7 if noise % 5 == 0 else 0
        state.append((3 * state[-1] + state[-2] + surprise) % VOCABULARY)
    return np.array(state, dtype=np.uint16)


def curve(config: Config, variant: str) -> list[list[float]]:
    """Return training and validation loss, nats per token, after every ten of 100 steps."""
    budget = Budget(
        steps=100, batch_size=2, context_length=WINDOW, learning_rate=1e-3, validate_every=10
    )
    text = tokens(2_200)
    torch.manual_seed(0)
    model = LanguageModel(config.variants[variant], VOCABULARY)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Path(folder) / "checkpoint.safetensors"
        run = train(
            model, budget, 0, text[:2_000], text[2_000:], checkpoint, stop_requested=lambda: False
        )
    return [[entry["training_loss"], entry["validation_loss"]] for entry in run.history]


def main() -> None:
    """Record every curve."""
    config = shipped()
    curves = {variant: curve(config, variant) for variant in trained_variants(config)}
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(losses)}" for name, losses in curves.items()
    )
    CURVES.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
