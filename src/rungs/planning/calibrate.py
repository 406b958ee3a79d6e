"""Measure this machine for about ten seconds; run in a process of its own, prints JSON.

The probes run the package's own training loop and scoring, so that whatever makes those faster
or slower is in the plan without anyone telling it. Steps of a handful of models are timed, and
the seconds per unit of `Work` are the non-negative least squares fit through them. Every probe
counts by its relative error, so that small models are predicted as well as large ones.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import nnls

from rungs.device import describe, select_device
from rungs.heap import keep_freed_memory
from rungs.kernels.available import build_layer
from rungs.kernels.memory import predict_peak_bytes
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import score, whole_text
from rungs.planning import flops, work
from rungs.planning.work import Work
from rungs.training.budget import Budget
from rungs.training.loop import train

BLOCK = {"mixer": "attention", "heads": 4, "feed_forward": True, "normalization": "pre"}

# architecture, vocabulary, windows, tokens: each heavy in another quantity.
PROBES: list[tuple[dict[str, Any], int, int, int]] = [
    ({}, 320, 8, 64),
    ({}, 1024, 32, 128),
    (BLOCK, 1024, 64, 128),
    (BLOCK, 320, 8, 64),
    ({**BLOCK, "depth": 4}, 320, 8, 64),
    ({"mixer": "average", "residual": False}, 1024, 16, 128),
    ({"mixer": "attention", "heads": 4}, 320, 8, 256),
    ({**BLOCK, "positions": "rotary"}, 1024, 16, 64),
    ({"mixer": "attention", "head_width": 1024}, 320, 4, 128),
    ({**BLOCK, "width": 256, "depth": 2}, 1024, 2, 256),
    ({**BLOCK, "width": 512, "heads": 8}, 320, 2, 128),
]
STEPS = 5

KERNEL_TOKENS, KERNEL_WIDTH, KERNEL_HEADS = 1024, 512, 8


def main() -> None:
    """Print the measurements; with ``--steps-only``, those of the probes' steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps-only", action="store_true")
    arguments = parser.parse_args()
    device = select_device("cpu")
    keep_freed_memory()  # as `python -m rungs train` does
    started, worked = time.perf_counter(), time.process_time()
    steps = [training_seconds(*probe) for probe in PROBES]
    lost = 1 - (time.process_time() - worked) / (time.perf_counter() - started)
    if arguments.steps_only:
        json.dump({"steps": steps, "lost": lost}, sys.stdout)
        return
    passes = [scoring_seconds(*probe) for probe in PROBES]
    json.dump(
        {
            "machine": f"{describe(device)}, torch {torch.__version__}",
            "matmul_gflops": 2 * 1024**3 / product_seconds(1024, torch.float32) / 1e9,
            "bfloat16": product_seconds(256, torch.bfloat16) / product_seconds(256, torch.float32),
            "training": fit([step_work(*probe) for probe in PROBES], steps),
            "scoring": fit([pass_work(*probe) for probe in PROBES], passes),
            "kernel": kernel_rates(device),
            "steps": steps,
            "lost": lost,
        },
        sys.stdout,
    )


def step_work(shape: dict[str, Any], vocabulary: int, windows: int, tokens: int) -> Work:
    """Return the work of one training step of a probe."""
    return work.training_step(Architecture(**shape), vocabulary, windows, tokens)


def pass_work(shape: dict[str, Any], vocabulary: int, windows: int, tokens: int) -> Work:
    """Return the work of scoring one batch of a probe."""
    return work.scoring(Architecture(**shape), vocabulary, windows * tokens, tokens)


def training_seconds(shape: dict[str, Any], vocabulary: int, windows: int, tokens: int) -> float:
    """Return the median seconds of a step of the training loop, the first one left out."""
    budget = Budget(steps=STEPS, batch_size=windows, context_length=tokens, validate_every=STEPS)
    text = random_tokens(vocabulary, 4 * tokens)
    ends: list[float] = []

    def after_each_step() -> bool:
        ends.append(time.perf_counter())
        return False

    with tempfile.TemporaryDirectory() as folder:
        model = LanguageModel(Architecture(**shape), vocabulary)
        train(model, budget, 0, text, text[:2], Path(folder) / "none", after_each_step)
    return statistics.median(np.diff(ends)[:-1].tolist())  # the last step ends in a validation


def scoring_seconds(shape: dict[str, Any], vocabulary: int, windows: int, tokens: int) -> float:
    """Return the median seconds of scoring one batch."""
    model = LanguageModel(Architecture(**shape), vocabulary)
    text = random_tokens(vocabulary, windows * tokens + 1)
    return median_seconds(lambda: score(model, whole_text(text, tokens), torch.device("cpu")))


def fit(works: Sequence[Work], seconds: Sequence[float]) -> dict[str, float]:
    """Return seconds per unit of each quantity, none negative, by relative least squares."""
    relative = np.array(works) / np.array(seconds)[:, None]
    scale = relative.max(axis=0)
    rates, _ = nnls(relative / scale, np.ones(len(seconds)))
    return dict(zip(Work._fields, (rates / scale).tolist(), strict=True))


def kernel_rates(device: torch.device) -> dict[str, float]:
    """Return `KernelRates`: projections, and what a score costs with either kernel."""
    started = time.perf_counter()
    predict_peak_bytes("naive", KERNEL_TOKENS, KERNEL_WIDTH, KERNEL_HEADS, device)
    prediction = time.perf_counter() - started
    naive, _ = layer_seconds("naive")
    tiled, projections = layer_seconds("tiled")
    scores = KERNEL_HEADS * KERNEL_TOKENS**2
    return {
        "linear": projections / flops.attention_layer(KERNEL_TOKENS, KERNEL_WIDTH).linear,
        "naive": max(0.0, naive - projections) / scores,
        "tiled": max(0.0, tiled - projections) / scores,
        "prediction": prediction,
    }


@torch.no_grad()
def layer_seconds(kernel: str) -> tuple[float, float]:
    """Return the median seconds of the layer around a kernel, and of its projections alone."""
    layer = build_layer(kernel, KERNEL_TOKENS, KERNEL_WIDTH, KERNEL_HEADS)
    x = torch.randn(1, KERNEL_TOKENS, KERNEL_WIDTH)
    return median_seconds(lambda: layer(x)), median_seconds(lambda: layer.project(x))


def product_seconds(size: int, precision: torch.dtype) -> float:
    """Return the median seconds of the product of two square matrices."""
    matrix = torch.randn(size, size).to(precision)
    return median_seconds(lambda: matrix @ matrix)


def median_seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the median wall time of a call, after one that is not timed."""
    times = []
    for _ in range(1 + repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times[1:])


def random_tokens(vocabulary: int, count: int) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Return tokens to compute with; their values do not matter to time."""
    return np.random.default_rng(0).integers(0, vocabulary, count).astype(np.uint16)


if __name__ == "__main__":
    main()
