"""Gradient norms at initialisation against gradients taken another way."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from rungs.corpus.tokens import save_tokens
from rungs.errors import UserError
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import evenly_spaced
from rungs.probes import gradient_norms
from tests.probes.stages import by_seed, run

SHAPE = {"width": 16, "depth": 3, "heads": 2, "mixer": "attention", "feed_forward": True}
ARCHITECTURES = {
    "pre": SHAPE | {"normalization": "pre"},
    "post": SHAPE | {"normalization": "post"},
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    tokens = np.random.default_rng(0).integers(0, 30, 400).astype(np.uint16)
    save_tokens(tmp_path / "train.npy", tokens)
    (tmp_path / "summary.json").write_text('{"vocabulary": 30}')
    return tmp_path


def words(corpus: Path, **changes: object) -> list[object]:
    options = {
        "train": corpus / "train.npy",
        "corpus": corpus / "summary.json",
        "variants": json.dumps(
            [{"variant": name, "architecture": shape} for name, shape in ARCHITECTURES.items()]
        ),
        "batch-size": 5,
        "context-length": 12,
        "seeds": 2,
    }
    return [word for key, value in (options | changes).items() for word in (f"--{key}", value)]


@pytest.mark.parametrize("variant", ARCHITECTURES)
def test_norms_are_those_of_the_plain_loss(variant: str, corpus: Path) -> None:
    found = run(gradient_norms, corpus, *words(corpus))
    assert [m.row["variant"] for m in found[:: len(found) // 2]] == list(ARCHITECTURES)
    ((inputs, targets),) = evenly_spaced(np.load(corpus / "train.npy"), 12, 5)
    for seed in range(2):
        torch.manual_seed(seed)
        model = LanguageModel(Architecture.model_validate(ARCHITECTURES[variant]), 30)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        names = [name for name, _ in model.named_parameters()]
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        by_name = dict(zip(names, gradients, strict=True))
        for block in range(3):
            own = [g.square().sum() for n, g in by_name.items() if n.startswith(f"blocks.{block}.")]
            whole = torch.stack(own).sum().sqrt().item()
            projection = by_name[f"blocks.{block}.mixer.function.output.weight"].norm().item()
            for metric, expected in (("whole_block", whole), ("output_projection", projection)):
                norms = by_seed(found, metric, variant=variant, block=block + 1)
                assert norms[seed] == pytest.approx(expected, rel=1e-4)


def test_a_batch_in_parts_has_the_gradient_of_the_whole(corpus: Path) -> None:
    ((inputs, targets),) = evenly_spaced(np.load(corpus / "train.npy"), 12, 5)
    observed = []
    for batches in ([(inputs, targets)], [(inputs[:2], targets[:2]), (inputs[2:], targets[2:])]):
        torch.manual_seed(0)
        model = LanguageModel(Architecture.model_validate(ARCHITECTURES["pre"]), 30)
        observed.append([number for _, _, number in gradient_norms.measure(model, batches)])
    assert observed[0] == pytest.approx(observed[1], rel=1e-4)


def test_a_corpus_shorter_than_a_window_is_refused(corpus: Path) -> None:
    with pytest.raises(UserError, match="400 tokens do not fill one window of 400"):
        run(gradient_norms, corpus, *words(corpus, **{"context-length": 400}))
