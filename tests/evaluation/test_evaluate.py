"""The stage `evaluate`, of a run that can be scored and of those that cannot."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rungs import cli
from rungs.corpus.tokens import save_tokens
from rungs.digest import file_digest
from rungs.files import read_json, write_json
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.checkpoint import save_weights


def evaluate(folder: Path, scale: float, damaged: str = "", *, longest: int = 16) -> int:
    """Evaluate an untrained model whose weights are multiplied by ``scale``.

    One bit of the file ``damaged`` is flipped, in the last of its numbers.
    """
    architecture, run = Architecture(width=8), folder / "run"
    torch.manual_seed(0)
    model = LanguageModel(architecture, 300)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(scale)
    save_weights(run / "model.safetensors", model)
    description = {
        "architecture": architecture.model_dump(mode="json"),
        "budget": {"context_length": 8, "steps": 30},
        "seed": 0,
        "vocabulary": 300,
        "parameters": 1,
    }
    for split, tokens in (("train", 1_000), ("validation", 200)):
        save_tokens(folder / f"{split}.npy", np.arange(tokens, dtype=np.uint16) % 300)
        description[f"{split}_sha256"] = file_digest(folder / f"{split}.npy")
    description["weights_sha256"] = file_digest(run / "model.safetensors")
    write_json(run / "run.json", description)
    if damaged:
        content = bytearray((folder / damaged).read_bytes())
        content[-2] ^= 1
        (folder / damaged).write_bytes(content)
    words = ["evaluate", "--run", str(run), "--train", str(folder / "train.npy")]
    words += [
        "--validation",
        str(folder / "validation.npy"),
        "--context-lengths",
        "8",
        str(longest),
    ]
    words += ["--device", "cpu", "--output", str(folder / "evaluation.json")]
    return cli.main(words)


def test_every_context_length_and_the_training_sample_are_scored(tmp_path: Path) -> None:
    assert evaluate(tmp_path, 1.0) == 0
    found = read_json(tmp_path / "evaluation.json")
    assert list(found["validation"]) == list(found["sampled"]) == ["8", "16"]
    assert found["sampled"]["8"]["tokens"] == 25 * 8
    for result in (*found["validation"].values(), *found["sampled"].values(), found["training"]):
        assert result["perplexity"] == pytest.approx(np.exp(result["loss"]))
    assert found["training"]["tokens"] == 200, "as many as the validation split has"


@pytest.mark.parametrize("scale", [1e3, float("nan")])
def test_a_run_whose_loss_has_no_perplexity_diverged_at_its_end(
    scale: float, tmp_path: Path
) -> None:
    assert evaluate(tmp_path, scale) == 0
    described = read_json(tmp_path / "run/run.json")
    assert read_json(tmp_path / "evaluation.json") == {
        "parameters": 1, "weights_sha256": described["weights_sha256"], "diverged_at_step": 30,
    }  # fmt: skip


def test_a_length_that_the_validation_split_does_not_fill_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, 1.0, longest=199) == 0
    (tmp_path / "evaluation.json").unlink()
    assert evaluate(tmp_path, 1.0, longest=200) == 2
    assert "200 tokens do not fill one window of 200 and its next" in capsys.readouterr().err
    assert not (tmp_path / "evaluation.json").exists()


@pytest.mark.parametrize("damaged", ["run/model.safetensors", "train.npy", "validation.npy"])
def test_bytes_that_the_run_does_not_describe_are_refused(
    damaged: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(tmp_path, 1.0, damaged) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / damaged}: is not the file whose " in said
    assert f"in {tmp_path / 'run/run.json'}; it is damaged" in said
    assert not (tmp_path / "evaluation.json").exists()
