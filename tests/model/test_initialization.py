"""GPT-2's start beside transformers'; and that it is asked for."""

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel

GPT = Architecture(
    width=192, depth=3, mixer="attention", heads=4, attention_bias=True, feed_forward=True,
    normalization="pre", positions="learned", position_rows=64, initialization="gpt2",
)  # fmt: skip


def spreads(model: nn.Module) -> list[float]:
    """The standard deviation of every parameter that has one, ascending."""
    found = (p.detach().std().item() for p in model.parameters() if p.numel() > 1)
    return sorted(found)


def test_it_starts_as_transformers_gpt2_does() -> None:
    torch.manual_seed(0)
    ours = LanguageModel(GPT.model_copy(update={"tied_output": True}), 500)
    config = GPT2Config(vocab_size=500, n_positions=64, n_embd=192, n_layer=3, n_head=4)
    theirs = GPT2LMHeadModel(config)
    assert spreads(ours) == pytest.approx(spreads(theirs), rel=0.05)


def test_only_weights_are_drawn() -> None:
    torch.manual_seed(0)
    for name, parameter in LanguageModel(GPT, 500).named_parameters():
        if name.endswith("bias"):
            assert not parameter.any(), name
        elif "norm" in name or name.endswith(("before.weight", "after.weight")):
            assert (parameter == 1).all(), name
        else:
            residual = name.endswith(("function.output.weight", "function.2.weight"))
            expected = 0.02 / 6**0.5 if residual else 0.02
            assert parameter.std().item() == pytest.approx(expected, rel=0.05), name


def test_it_changes_nothing_else() -> None:
    """The start that is the default draws the same numbers as before there was a choice."""
    default = GPT.model_copy(update={"initialization": "torch"})
    torch.manual_seed(0)
    model = LanguageModel(default, 500)
    torch.manual_seed(0)
    assert torch.equal(model.embedding.weight, nn.Embedding(500, 192).weight)
    assert Architecture().initialization == "torch"


@pytest.mark.parametrize("mixer", ["average", "attention"])
def test_what_has_no_layer_into_the_stream_has_nothing_to_make_smaller(mixer: str) -> None:
    """A single head without W_o keeps its queries, keys and values; an average has no weights."""
    architecture = Architecture.model_validate(
        {"width": 192, "depth": 3, "mixer": mixer, "feed_forward": True, "initialization": "gpt2"}
    )
    torch.manual_seed(0)
    for name, parameter in LanguageModel(architecture, 500).named_parameters():
        if name.endswith("weight") and parameter.dim() == 2:
            expected = 0.02 / 6**0.5 if name.endswith("function.2.weight") else 0.02
            assert parameter.std().item() == pytest.approx(expected, rel=0.05), name
