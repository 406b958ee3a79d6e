"""What one token costs in generation, with and without the cache, on one core.

    python -m benchmarks.generation

The GPT of the stories with untrained weights. At each context length: the median over so many
tokens of reading one more, from the cache and by reading everything anew.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch

from rungs.config import read_config
from rungs.generation.cache import CachedModel
from rungs.model.language_model import LanguageModel

CONTEXTS = (16, 64, 128, 256)
REPEATS = 15


def milliseconds(measured: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    measured()
    return (time.perf_counter() - started) * 1e3


@torch.no_grad()
def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    config = read_config(Path(__file__).parents[1] / "config.yaml")
    architecture, vocabulary = config.variants["gpt"], config.corpora["tinystories"].vocabulary
    model = LanguageModel(architecture, vocabulary).eval()
    print("tokens   cached ms   anew ms   ratio")
    for length in CONTEXTS:
        tokens = torch.randint(vocabulary, (1, length))
        cached, anew = [], []
        for _ in range(REPEATS):  # by turns, so that both see the same machine
            reader = CachedModel(model)
            reader.append(tokens[:, :-1])
            cached.append(milliseconds(lambda reader=reader: reader.append(tokens[:, -1:])))
            anew.append(milliseconds(lambda: model.output(model.hidden(tokens)[:, -1])))
        with_cache, without = statistics.median(cached), statistics.median(anew)
        print(f"{length:6} {with_cache:11.2f} {without:9.2f} {without / with_cache:7.1f}")


if __name__ == "__main__":
    main()
