"""The stage `evaluate` on a run that training left without a usable loss."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rungs import cli
from rungs.corpus.tokens import save_tokens
from rungs.files import read_json, write_json
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.checkpoint import save_weights


def evaluate(folder: Path, scale: float) -> int:
    """Evaluate an untrained model whose weights are multiplied by ``scale``."""
    architecture, run = Architecture(width=8), folder / "run"
    torch.manual_seed(0)
    model = LanguageModel(architecture, 300)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(scale)
    save_weights(run / "model.safetensors", model)
    description = {
        "architecture": architecture.model_dump(mode="json"),
        "budget": {"context_length": 8},
        "vocabulary": 300,
        "parameters": 1,
        "weights_sha256": "0",
    }
    write_json(run / "run.json", description)
    save_tokens(folder / "tokens.npy", np.arange(200, dtype=np.uint16))
    tokens, output = str(folder / "tokens.npy"), str(folder / "evaluation.json")
    words = ["evaluate", "--run", str(run), "--train", tokens, "--validation", tokens]
    words += ["--context-lengths", "8", "16", "--device", "cpu", "--output", output]
    return cli.main(words)


def test_every_context_length_and_the_training_sample_are_scored(tmp_path: Path) -> None:
    assert evaluate(tmp_path, 1.0) == 0
    found = read_json(tmp_path / "evaluation.json")
    assert list(found["validation"]) == ["8", "16"]
    for result in (*found["validation"].values(), found["training"]):
        assert result["perplexity"] == pytest.approx(np.exp(result["loss"]))


@pytest.mark.parametrize("scale", [1e3, float("nan")])
def test_a_run_whose_loss_has_no_perplexity_is_refused(
    scale: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, scale) == 2
    assert not (tmp_path / "evaluation.json").exists()
    said = capsys.readouterr().err
    assert f"{tmp_path / 'run'}: a loss of " in said
    assert "training diverged; lower the budget's learning_rate" in said
