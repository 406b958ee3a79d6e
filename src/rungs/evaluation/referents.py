"""The stage `evaluate-referents`: how often a run names the referent, and what it looks at."""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from rungs.corpus.referents import ADJECTIVE, CROSSED, CROSSER, EXAMPLE, REFERENT, TEMPLATE, WORDS
from rungs.corpus.tokenizer import load
from rungs.corpus.tokens import load_tokens
from rungs.device import Device, select_device
from rungs.evaluation.referent_attention import compare, drawn, weights_by_adjective
from rungs.evaluation.trained import load_trained, write_diverged
from rungs.files import write_json
from rungs.model.language_model import LanguageModel
from rungs.model.observe import attention_maps

EXAMPLE_ADJECTIVES = ["tired", "wet"]


def run(
    *,
    run: Annotated[Path, "the run's folder"],
    tokenizer: Annotated[Path, "of the corpus, JSON"],
    train: Annotated[Path, "training tokens, .npy"],
    validation: Annotated[Path, "held-out tokens, .npy"],
    device: Device = "auto",
    output: Path,
) -> str:
    """Score every held-out and every training sentence at the answering position.

    Writes ``metrics``, one number each: accuracies and the like in percent, attention weights
    between 0 and 1; and ``attention``, the maps of two sentences that differ in the adjective.
    A run that diverged has neither: its evaluation says at which step.
    """
    if diverged := write_diverged(run, output):
        return diverged
    torch_device = select_device(device)
    model, description = load_trained(run, train, validation, torch_device)
    words = load(tokenizer)
    held_out = sentences_of(load_tokens(validation)).to(torch_device)
    trained = sentences_of(load_tokens(train)).to(torch_device)
    examples = example_prompts(words).to(torch_device)

    maps = attention_maps(model, held_out[:, :REFERENT])
    adjectives = [str(words.id_to_token(number)) for number in held_out[:, ADJECTIVE].tolist()]
    example_maps = attention_maps(model, examples)
    metrics = {
        **answers(model, held_out),
        "training_accuracy": answers(model, trained)["accuracy"],
        "uniform_weight": 1 / REFERENT,
        **weights_by_adjective(maps, adjectives),
    }
    example = weights_by_adjective(example_maps, EXAMPLE_ADJECTIVES) | compare(example_maps)
    metrics |= {f"example_{name}": value for name, value in example.items()}
    shown = [[str(words.id_to_token(number)) for number in row] for row in examples.tolist()]
    write_json(
        output,
        {
            "parameters": description["parameters"],
            "weights_sha256": description["weights_sha256"],
            "metrics": metrics,
            "attention": drawn(example_maps, shown),
        },
    )
    return (
        f"{output}: {metrics['accuracy']:.1f} % right, {metrics['wrong_noun']:.1f} % the wrong noun"
    )


def sentences_of(tokens: NDArray[np.uint16]) -> Tensor:
    """Return the whole sentences of a split, (sentences, words), int64."""
    whole = len(tokens) // len(WORDS) * len(WORDS)
    return torch.from_numpy(tokens[:whole].astype(np.int64)).view(-1, len(WORDS))


def example_prompts(tokenizer: Tokenizer) -> Tensor:
    """Return the example's two sentences up to the answering position, (2, words), int64."""
    x, y = EXAMPLE
    texts = [
        TEMPLATE.format(x=x, y=y, adjective=adjective, referent="")
        for adjective in EXAMPLE_ADJECTIVES
    ]
    return torch.tensor([tokenizer.encode(text).ids[:REFERENT] for text in texts])


@torch.no_grad()
def answers(model: LanguageModel, sentences: Tensor) -> dict[str, float]:
    """Return in percent how the model continues the sentences after "so the".

    Args:
        model: left in evaluation mode.
        sentences: token ids, (sentences, words).

    Returns:
        ``accuracy``, the referent is the most probable word of the whole vocabulary;
        ``wrong_noun``, the other noun of the sentence is; ``anything_else``; and ``chance``, what
        always naming the first noun gets right.
    """
    model.eval()
    answer = model(sentences[:, :REFERENT])[:, -1].argmax(-1)
    first, second = sentences[:, CROSSER], sentences[:, CROSSED]
    referent = sentences[:, REFERENT]
    other = torch.where(referent == first, second, first)
    right, wrong = _percent(answer == referent), _percent(answer == other)
    return {
        "accuracy": right,
        "wrong_noun": wrong,
        "anything_else": _percent((answer != referent) & (answer != other)),
        "chance": _percent(referent == first),
    }


def _percent(cases: Tensor) -> float:
    return 100 * cases.double().mean().item()
