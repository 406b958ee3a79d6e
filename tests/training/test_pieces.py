"""What a run's code digest leaves out is really never called."""

import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch

from rungs.code import Definition, reachable
from rungs.config import read_config
from rungs.configuration.experiments import Variant
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import score, whole_text
from rungs.training.budget import Budget
from rungs.training.loop import train
from rungs.training.pieces import unused_by_model, unused_by_run

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
ARCHITECTURES = {
    **{name: v for name, v in CONFIG.variants.items() if name != "gpt2_small"},
    "window": Architecture(mixer="window", window=3, hidden=8, residual=False),
}
TOKENS = np.random.default_rng(0).integers(0, 30, 400).astype(np.uint16)


def forbid(piece: Definition, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace a definition, wherever it was imported to, by one that fails when called."""

    def called(*_arguments: Any, **_named: Any) -> NoReturn:
        raise AssertionError(f"{piece} was called")

    original = getattr(sys.modules[piece.module], piece.name)
    for name, module in list(sys.modules.items()):
        if name.startswith("rungs.") and vars(module).get(piece.name) is original:
            replacement = called
            if isinstance(original, type):  # isinstance() must go on working
                replacement = type(piece.name, (original,), {"__init__": called})
            monkeypatch.setattr(module, piece.name, replacement)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_a_run_without_its_unused_pieces(
    architecture: Variant, observed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = Budget(
        steps=2, batch_size=2, context_length=16, validate_every=1, observe_attention=observed
    )
    unused = unused_by_run(architecture, budget)
    assert unused <= set(reachable("rungs.training.train")), "a piece that does not exist"
    assert unused_by_model(architecture) <= set(reachable("rungs.evaluation.evaluate"))
    for piece in unused:
        forbid(piece, monkeypatch)
    model = LanguageModel(architecture, 30)
    run = train(model, budget, 0, TOKENS, TOKENS, tmp_path / "checkpoint", lambda: False)
    assert len(run.history) == 2 + observed
    score(model, whole_text(TOKENS, 16), torch.device("cpu"))


def test_the_pieces_that_are_used_are_in_the_digest() -> None:
    budget = Budget()
    rotary = set(
        reachable("rungs.training.train", unused_by_run(CONFIG.variants["rotary"], budget))
    )
    learned = set(
        reachable("rungs.training.train", unused_by_run(CONFIG.variants["learned"], budget))
    )
    only_rotary = {str(part) for part in rotary - learned}
    assert only_rotary == {"rungs.model.positions:Rotary", "rungs.model.positions:torch"}
    assert {str(part) for part in learned - rotary} == {"rungs.model.positions:Learned"}
