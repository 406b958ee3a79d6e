from itertools import islice

import pytest
import torch

from rungs.generation.continuing import continuation
from rungs.generation.settings import Sampling
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel

CONTEXT = 16
GPT = {"width": 32, "depth": 2, "heads": 4, "mixer": "attention", "feed_forward": True,
       "normalization": "pre", "positions": "learned", "position_rows": CONTEXT}  # fmt: skip
MLP = {"width": 8, "mixer": "window", "window": 6, "hidden": 16, "residual": False}


def model_of(architecture: dict[str, object]) -> LanguageModel:
    torch.manual_seed(3)
    return LanguageModel(Architecture.model_validate(architecture), 50)


@pytest.mark.parametrize("architecture", [GPT, MLP], ids=["gpt", "mlp"])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.7, top_k=9, top_p=0.9)])
@pytest.mark.parametrize("prompt", [[7], list(range(40))], ids=["one", "too long"])
def test_with_and_without_the_cache_the_text_is_identical(
    architecture: dict[str, object], sampling: Sampling, prompt: list[int]
) -> None:
    model = model_of(architecture)
    texts = [
        list(islice(continuation(model, prompt, sampling, CONTEXT, 5, cache=cache), 70))
        for cache in (True, False)
    ]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 5


def test_the_context_slides_when_it_is_full_and_says_so() -> None:
    slides: list[int] = []
    drawn: list[int] = []
    tokens = continuation(
        model_of(GPT), [1, 2, 3], Sampling(), CONTEXT, 0,
        sliding=lambda: slides.append(len(drawn)),
    )  # fmt: skip
    for token in islice(tokens, 40):
        drawn.append(token)  # noqa: PERF402, the length is read meanwhile
    # 3 of the prompt and 14 drawn are one too many; 8 are kept, so that 9 more fill it.
    assert slides == [14, 23, 32]


def test_what_is_seen_after_a_slide_is_the_newer_half() -> None:
    """The next token is that of a fresh start on the newer half."""
    model = model_of(GPT)
    tokens = list(islice(continuation(model, [1, 2, 3], Sampling(temperature=0), CONTEXT, 0), 18))
    context = [1, 2, 3, *tokens[:14]][-CONTEXT // 2 :]
    again = list(islice(continuation(model, context, Sampling(temperature=0), CONTEXT, 0), 4))
    assert again == tokens[14:]


def test_a_model_without_the_mask_reads_everything_anew() -> None:
    model = model_of(GPT | {"causal": False})
    tokens = list(islice(continuation(model, [1, 2], Sampling(temperature=0), CONTEXT, 0), 5))
    context = [1, 2]
    for token in tokens:
        assert int(model(torch.tensor([context]))[0, -1].argmax()) == token
        context.append(token)
