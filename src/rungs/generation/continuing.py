"""Writing on: token after token, within the context that the model was trained on."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from rungs.generation.sampling import draw
from rungs.generation.settings import Sampling
from rungs.model.attention import Past
from rungs.model.language_model import LanguageModel


def continuation(
    model: LanguageModel,
    prompt: list[int],
    sampling: Sampling,
    context_length: int,
    seed: int,
    *,
    cache: bool = True,
    sliding: Callable[[], None] = lambda: None,
) -> Iterator[int]:
    """Yield tokens that follow the prompt, without an end.

    Where the context is full, its older half is forgotten and the model reads the newer half
    anew, at the first positions: after that it sees between half a context and a whole one.

    Args:
        model: left in evaluation mode.
        prompt: token ids, at least one.
        sampling: how tokens are drawn.
        context_length: tokens that the model can read.
        seed: decides what is drawn.
        cache: whether what is known of earlier tokens is kept; the text is the same without.
            A model without the causal mask has nothing to keep.
        sliding: told each time that tokens are forgotten.
    """
    device = model.embedding.weight.device
    read_on = _keeping(model) if cache and model.architecture.causal else _anew(model)
    context, unread = prompt, prompt
    step = 0
    while True:
        if len(context) > context_length:
            context = unread = context[-(context_length // 2 or 1) :]
            sliding()
        logits = read_on(torch.tensor([context], device=device), len(unread))
        token = draw(logits, sampling, seed, step)
        yield token
        context, unread = [*context, token], [token]
        step += 1


Reader = Callable[[Tensor, int], Tensor]
"""Given the context (1, tokens) and how many of its last tokens are new, returns the logits after
the last one, (vocabulary,)."""


def _anew(model: LanguageModel) -> Reader:
    return lambda context, _new: logits_after(model, context)[0]


def _keeping(model: LanguageModel) -> Reader:
    past = model.empty_past()

    def read_on(context: Tensor, new: int) -> Tensor:
        nonlocal past
        if new == context.shape[1]:
            past = model.empty_past()
        return logits_after(model, context[:, -new:], past)[0]

    return read_on


@torch.no_grad()
def logits_after(model: LanguageModel, tokens: Tensor, past: list[Past] | None = None) -> Tensor:
    """Return the logits of what follows the last of the tokens (batch, tokens).

    Args:
        model: left in evaluation mode.
        tokens: those that follow what the past has read.
        past: of the model; it is told the tokens.

    Returns:
        (batch, vocabulary).
    """
    return model.eval().output(model.hidden(tokens, past)[:, -1])
