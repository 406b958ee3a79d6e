"""Counted memory against the modules themselves."""

import pytest
import torch

from rungs.kernels.memory import predict_peak_bytes
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.planning import memory
from tests.planning.test_flops import ARCHITECTURES


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("width", [16, 48])
def test_parameters(name: str, width: int) -> None:
    architecture = Architecture.model_validate({"width": width, **ARCHITECTURES[name]})
    with torch.device("meta"):
        model = LanguageModel(architecture, 300)
    assert memory.parameters(architecture, 300) == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize(
    ("kernel", "tokens"), [("naive", 256), ("naive", 4096), ("naive", 16384), ("tiled", 1024)]
)
def test_a_kernel_point(kernel: str, tokens: int) -> None:
    counted = predict_peak_bytes(kernel, tokens, 512, 8, torch.device("cpu")) / 2**20
    assert memory.kernel_mib(kernel, tokens, 512, 8) == pytest.approx(counted, rel=0.02)


def test_a_larger_batch_and_a_deeper_model_hold_more() -> None:
    shallow = Architecture(mixer="attention", feed_forward=True)
    deep = shallow.model_copy(update={"depth": 12})
    assert (
        memory.training_mib(shallow, 1024, 8, 128)
        < memory.training_mib(shallow, 1024, 64, 128)
        < memory.training_mib(deep, 1024, 64, 128)
    )


def test_a_large_vocabulary_is_held_while_a_run_validates_and_is_evaluated() -> None:
    small = Architecture(width=64, mixer="window", window=6, residual=False)
    logits = 2 * 8_192 * 65_536 * 4 / 2**20
    assert memory.scoring_mib(small, 65_536) > memory.TORCH_MIB + logits
    assert memory.training_mib(small, 65_536, 4, 64) > memory.scoring_mib(small, 65_536)


def test_a_long_window_is_held_while_scoring() -> None:
    short = Architecture(width=64, mixer="window", window=6, residual=False)
    long = short.model_copy(update={"window": 256})
    gathered = 8_192 * 250 * 64 * 4 / 2**20
    assert memory.scoring_mib(long, 300) - memory.scoring_mib(short, 300) >= gathered
