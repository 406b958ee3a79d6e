"""Where a training step's time goes: torch's profiler, operators summed by what they are.

The profiler itself takes a few per cent, so that shares are worth more than milliseconds.
"""

import argparse
from collections import Counter
from typing import Any

import torch

from benchmarks.subject import BATCH, TOKENS, VOCABULARY, our_step
from benchmarks.training_step import step_flops
from rungs.heap import keep_freed_memory

KINDS = {
    "matrix products": ("aten::mm", "aten::addmm"),
    "attention": ("scaled_dot_product", "flash_attention"),
    "GELU": ("gelu",),
    "softmax of the output layer": ("aten::_log_softmax", "aten::exp_"),
    "LayerNorm": ("layer_norm",),
    "copies and sums": ("aten::copy_", "aten::cat", "aten::add", "aten::sum", "aten::mul"),
    "AdamW": ("adamw",),
}
REST = "all else"


def main() -> None:
    """Print milliseconds and share of each kind of work in one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 12])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    print("| blocks | work | ms a step | share | GFLOP/s |")
    print("| --- | --- | --- | --- | --- |")
    for depth in arguments.depths:
        spent = profiled(depth, arguments.rounds)
        whole = sum(spent.values())
        attention = 12 * depth * BATCH * TOKENS**2 * 128
        for kind, milliseconds in spent.most_common():
            speed = ""
            if kind == "matrix products":
                speed = f"{(step_flops(depth) - attention) / milliseconds / 1e6:.0f}"
            print(
                f"| {depth} | {kind} | {milliseconds:.1f} | {milliseconds / whole:.0%} | {speed} |"
            )


def profiled(depth: int, rounds: int) -> Counter[str]:
    """Return the milliseconds of each kind of work in one step, the mean over the rounds."""
    torch.manual_seed(0)
    inputs, targets = torch.randint(0, VOCABULARY, (2, BATCH, TOKENS))
    step = our_step(depth, inputs, targets)
    for _ in range(3):
        step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for _ in range(rounds):
            step()
    spent: Counter[str] = Counter()
    for event in profile.key_averages():
        spent[_kind(event)] += event.self_cpu_time_total / 1e3 / rounds
    return spent


def _kind(event: Any) -> str:
    name = event.key.lower()
    return next((kind for kind, parts in KINDS.items() if any(p in name for p in parts)), REST)


if __name__ == "__main__":
    main()
