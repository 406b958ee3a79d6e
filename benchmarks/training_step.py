"""Our training step against the textbook's and the matrix products of this machine.

Everything alternates within one process on one thread, so that a ratio compares what ran within
the same seconds; medians and quartiles are over the rounds.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks import chapter_style
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.optimizer import AdamW

VOCABULARY, WIDTH, HEADS, BATCH, TOKENS = 1_024, 128, 4, 64, 128
SQUARE = 2_048


def ours(depth: int, inputs: Tensor, targets: Tensor, precision: str) -> Callable[[], float]:
    """Return a function that makes one update of the training loop and returns its loss."""
    architecture = Architecture(
        width=WIDTH, heads=HEADS, depth=depth, mixer="attention", feed_forward=True,
        normalization="pre", positions="learned", position_rows=TOKENS,
    )  # fmt: skip
    model = LanguageModel(architecture, VOCABULARY)
    optimizer = AdamW(model.parameters(), 0.01)
    autocast = torch.autocast(
        "cpu", torch.bfloat16, enabled=precision == "bfloat16", cache_enabled=False
    )

    def update() -> float:
        with autocast:
            loss = model.loss(inputs, targets)
        loss.backward()
        optimizer.step(1e-3)
        return loss.item()

    return update


def step_flops(depth: int) -> int:
    """Return the floating-point operations of the matrix products of one step.

    Three products (forward, two gradients) of two operations for each weight and token, and
    twelve for each feature of each pair of tokens: scores and sums, without using the mask.
    """
    weights = depth * 12 * WIDTH**2 + WIDTH * VOCABULARY
    return BATCH * TOKENS * (6 * weights + 12 * depth * WIDTH * TOKENS)


def main() -> None:
    """Print the table for one block and for twelve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 12])
    parser.add_argument(
        "--bfloat16", action="store_true",
        help="time bfloat16 products as well; a processor without them takes ten times as long",
    )  # fmt: skip
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    square = torch.randn(SQUARE, SQUARE)
    print("| blocks | what | ms, median (quartiles) | GFLOP/s | of the peak | times faster |")
    print("| --- | --- | --- | --- | --- | --- |")
    for depth in arguments.depths:
        torch.manual_seed(0)
        inputs, targets = torch.randint(0, VOCABULARY, (2, BATCH, TOKENS))
        textbook = chapter_style.Model(VOCABULARY, WIDTH, HEADS, depth, TOKENS)
        timed: dict[str, tuple[Callable[[], object], int]] = {
            f"matrix product, {SQUARE} cubed": (lambda: square @ square, 2 * SQUARE**3),
            "textbook step": (chapter_style.step(textbook, inputs, targets), step_flops(depth)),
            "our step": (ours(depth, inputs, targets, "float32"), step_flops(depth)),
        }
        if arguments.bfloat16:
            lower = ours(depth, inputs, targets, "bfloat16")
            timed["our step, bfloat16"] = (lower, step_flops(depth))
        print_rows(depth, timed, arguments.rounds)


def print_rows(depth: int, timed: dict[str, tuple[Callable[[], object], int]], rounds: int) -> None:
    """Time the functions in turn and print a row for each."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for turn in range(rounds + 2):
        for name, (function, _) in timed.items():
            started = time.perf_counter()
            function()
            if turn >= 2:
                seconds[name].append(time.perf_counter() - started)
    peak, textbook = seconds[next(iter(timed))], seconds["textbook step"]
    product = 2 * SQUARE**3
    for name, (_, flops) in timed.items():
        own = seconds[name]
        low, middle, high = statistics.quantiles(own, n=4)
        share = [flops / mine / (product / best) for mine, best in zip(own, peak, strict=True)]
        faster = [slow / mine for slow, mine in zip(textbook, own, strict=True)]
        print(
            f"| {depth} | {name} | {middle * 1e3:.0f} ({low * 1e3:.0f}-{high * 1e3:.0f}) "
            f"| {flops / middle / 1e9:.0f} | {_spread(share, '.0%')} "
            f"| {_spread(faster, '.2f') if 'step' in name else ''} |"
        )


def _spread(values: list[float], form: str) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:{form}} ({low:{form}}-{high:{form}})"


if __name__ == "__main__":
    main()
