"""What one token costs in generation, with and without the cache, on one core.

    python -m benchmarks.generation

The GPT of the stories with untrained weights. At each context length: the median over so many
tokens of reading one more, from the cache and by reading everything anew.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from rungs.config import read_config
from rungs.generation.continuing import logits_after
from rungs.model.language_model import LanguageModel

CONTEXTS = (16, 64, 128, 256)
REPEATS = 15


def milliseconds(measured: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    measured()
    return (time.perf_counter() - started) * 1e3


@torch.no_grad()
def medians(model: LanguageModel, tokens: Tensor) -> tuple[float, float]:
    """Return the milliseconds of reading the last token from the cache, and all of them anew."""
    cached, anew = [], []
    for _ in range(REPEATS):  # by turns, so that both see the same machine
        past = model.empty_past()
        logits_after(model, tokens[:, :-1], past)
        cached.append(milliseconds(partial(logits_after, model, tokens[:, -1:], past)))
        anew.append(milliseconds(partial(logits_after, model, tokens)))
    return statistics.median(cached), statistics.median(anew)


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    config = read_config(Path(__file__).parents[1] / "config.yaml")
    vocabulary = config.corpora["tinystories"].vocabulary
    model = LanguageModel(config.variants["gpt"], vocabulary).eval()
    print("tokens   cached ms   anew ms   ratio")
    for length in CONTEXTS:
        cached, anew = medians(model, torch.randint(vocabulary, (1, length)))
        print(f"{length:6} {cached:11.2f} {anew:9.2f} {anew / cached:7.1f}")


if __name__ == "__main__":
    main()
