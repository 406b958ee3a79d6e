"""Token by token, with what is kept of the past, the numbers are those of the whole model."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rungs.generation.cache import CachedModel
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel

VOCABULARY, ROWS = 20, 24
ARCHITECTURES = {
    "gpt": {"depth": 2, "heads": 4, "mixer": "attention", "feed_forward": True,
            "normalization": "pre", "positions": "learned", "position_rows": ROWS},
    "post_norm": {"depth": 2, "heads": 2, "mixer": "attention", "feed_forward": True,
                  "normalization": "post", "positions": "sinusoidal", "tied_output": True},
    "rotary": {"depth": 2, "heads": 2, "mixer": "attention", "positions": "rotary"},
    "alibi": {"depth": 2, "heads": 2, "mixer": "attention", "positions": "alibi"},
    "replacing": {"mixer": "attention", "residual": False, "divide_scores": False},
    "average": {"depth": 2, "mixer": "average", "feed_forward": True, "normalization": "pre"},
    "mlp": {"mixer": "window", "window": 6, "hidden": 12, "residual": False},
    "bigram_window": {"mixer": "window", "window": 1, "residual": False},
    "no_context": {},
}  # fmt: skip


def model_of(name: str, dtype: torch.dtype) -> LanguageModel:
    torch.manual_seed(1)
    architecture = Architecture.model_validate({"width": 16, "dropout": 0.5, **ARCHITECTURES[name]})
    return LanguageModel(architecture, VOCABULARY).to(dtype).eval()


@pytest.mark.parametrize("name", ARCHITECTURES)
@settings(max_examples=20)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4), batch=st.integers(1, 3))
def test_any_pieces_of_a_text_give_the_whole_text_s_logits(
    name: str, sizes: list[int], batch: int
) -> None:
    model = model_of(name, torch.float64)
    tokens = torch.randint(VOCABULARY, (batch, sum(sizes)))
    with torch.no_grad():
        whole = model(tokens)
    cached = CachedModel(model)
    end = 0
    for piece in tokens.split(sizes, dim=1):
        end += piece.shape[1]
        torch.testing.assert_close(cached.append(piece), whole[:, end - 1], atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("name", ["gpt", "rotary", "average", "mlp"])
def test_in_float32_they_agree_to_float32(name: str) -> None:
    model = model_of(name, torch.float32)
    tokens = torch.randint(VOCABULARY, (1, ROWS))
    with torch.no_grad():
        whole = model(tokens)
    cached = CachedModel(model)
    for position, token in enumerate(tokens.split(1, dim=1)):
        torch.testing.assert_close(cached.append(token), whole[:, position], atol=2e-6, rtol=2e-6)


def test_the_model_itself_is_left_as_it_is() -> None:
    model = model_of("rotary", torch.float32)
    tokens = torch.randint(VOCABULARY, (1, 5))
    before = model(tokens)
    CachedModel(model).append(tokens[:, :3])
    assert torch.equal(model(tokens), before)


def test_a_table_that_ends_is_an_error() -> None:
    cached = CachedModel(model_of("gpt", torch.float32))
    cached.append(torch.zeros(1, ROWS, dtype=torch.long))
    with pytest.raises(IndexError):
        cached.append(torch.zeros(1, 1, dtype=torch.long))
