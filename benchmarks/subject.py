"""A training step in a process of its own, timed when it is told to.

Our processes keep their heap (rungs.heap) and a textbook's does not, so that neither can lend the
other its memory.
"""

import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch
from torch import Tensor

from benchmarks import chapter_style
from rungs.heap import keep_freed_memory
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.optimizer import AdamW

VOCABULARY, WIDTH, HEADS, BATCH, TOKENS = 1_024, 128, 4, 64, 128
SQUARE = 2_048

_run: Callable[[], object]


class Subject:
    """A process that holds one of the things compared."""

    def __init__(self, name: str, depth: int) -> None:
        self._process = ProcessPoolExecutor(1, get_context("spawn"), _prepare, (name, depth))

    def seconds(self) -> float:
        """Return the wall time of one more step."""
        return self._process.submit(_seconds).result()

    def peak_mib(self) -> float:
        """Return the process's peak resident memory."""
        return self._process.submit(_peak_mib).result()

    def end(self) -> None:
        """End the process."""
        self._process.shutdown()


def _prepare(name: str, depth: int) -> None:
    global _run
    torch.set_num_threads(1)
    torch.manual_seed(0)
    inputs, targets = torch.randint(0, VOCABULARY, (2, BATCH, TOKENS))
    if name == "matrix product":
        square = torch.randn(SQUARE, SQUARE)
        _run = lambda: square @ square  # noqa: E731
    elif name == "textbook step":
        textbook = chapter_style.Model(VOCABULARY, WIDTH, HEADS, depth, TOKENS)
        _run = chapter_style.step(textbook, inputs, targets)
    else:
        keep_freed_memory()
        _run = our_step(depth, inputs, targets, bfloat16="bfloat16" in name)


def our_step(
    depth: int, inputs: Tensor, targets: Tensor, *, bfloat16: bool = False
) -> Callable[[], float]:
    """Return a function that makes one update of the training loop and returns its loss."""
    architecture = Architecture(
        width=WIDTH, heads=HEADS, depth=depth, mixer="attention", feed_forward=True,
        normalization="pre", positions="learned", position_rows=TOKENS,
    )  # fmt: skip
    model = LanguageModel(architecture, VOCABULARY)
    optimizer = AdamW(model.parameters(), 0.01, (0.9, 0.999))
    autocast = torch.autocast("cpu", torch.bfloat16, enabled=bfloat16, cache_enabled=False)

    def update() -> float:
        with autocast:
            loss = model.loss(inputs, targets)
        loss.backward()
        optimizer.step(1e-3)
        return loss.item()

    return update


def _seconds() -> float:
    started = time.perf_counter()
    _run()
    return time.perf_counter() - started


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024  # Linux counts in KiB
