"""Measure the same once per seed: what a probe without settings of its own does."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rungs.device import select_device
from rungs.probes.measurement import Observed, over_seeds, write_measurements


def repeated(measure: Callable[[int], Sequence[Observed]], seeds: int, output: Path) -> str:
    """Write what each of the seeds 0, 1, ... observes on the processor; return the summary."""
    select_device("cpu")
    found = over_seeds([measure(seed) for seed in range(seeds)])
    write_measurements(output, found)
    return f"{output}: {len(found)} metrics over {seeds} seeds"
