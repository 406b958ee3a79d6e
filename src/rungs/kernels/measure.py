"""Stage ``kernel``: time and peak memory of one attention layer at one sequence length.

Batch 1, float32, forward only. Run it in a fresh process a point, so that no point inherits
another's memory or warm caches.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import torch

from rungs.arguments import is_out_of_memory
from rungs.device import Device, select_device
from rungs.files import write_json
from rungs.heap import keep_all_memory
from rungs.kernels.available import build_layer, check_kernel
from rungs.kernels.memory import count_peak_bytes, predict_peak_bytes

logger = logging.getLogger(__name__)

MIB = 2**20

WARM_UPS = 2
"""Passes that are not timed: the second one still finds holes between what the first one freed."""


@dataclass(frozen=True)
class Point:
    """One row of the cost table. Sizes are in MiB, which the chapter writes as MB.

    Attributes:
        status: ``ok``, or ``out_of_memory`` when the predicted peak exceeds the budget or the
            allocation fails; then everything measured is None.
        milliseconds: one forward pass of the whole layer, median over the repeats.
        milliseconds_low: the first quartile of the repeats.
        milliseconds_high: the third quartile.
        projection_milliseconds: the four projections alone, median over as many repeats.
        attention_matrix_mib: one score matrix, heads x tokens x tokens x 4 bytes.
        predicted_mib: the peak predicted before anything was allocated, workspace included.
        counted_mib: the peak counted during a real forward pass.
        workspace_mib: what the published device's matrix library keeps for itself.
        peak_mib: counted_mib + workspace_mib.
        threads: torch's threads during the measurement.
    """

    kernel: str
    tokens: int
    width: int
    heads: int
    device: str
    status: str
    attention_matrix_mib: float
    predicted_mib: float
    workspace_mib: float
    threads: int
    counted_mib: float | None = None
    peak_mib: float | None = None
    milliseconds: float | None = None
    milliseconds_low: float | None = None
    milliseconds_high: float | None = None
    projection_milliseconds: float | None = None


def run(
    *,
    kernel: Annotated[str, "naive, tiled, or a backend of the GPU"],
    tokens: int,
    width: int,
    heads: int,
    memory_budget_mib: float,
    workspace_mib: float,
    repeats: int,
    device: Device = "auto",
    output: Path,
) -> str:
    """Measure the point and write it as JSON.

    Raises:
        UserError: the device or the kernel is not available here.
    """
    keep_all_memory()
    point = measure(
        kernel,
        tokens,
        width,
        heads,
        device=select_device(device),
        memory_budget_mib=memory_budget_mib,
        workspace_mib=workspace_mib,
        repeats=repeats,
    )
    write_json(output, asdict(point))
    name = f"{point.kernel} at {point.tokens} tokens"
    if point.status == "ok":
        return f"{name}: peak {point.peak_mib:.1f} MiB, {point.milliseconds:.3f} ms"
    return (
        f"{name}: out of memory (would need {point.predicted_mib:.1f} MiB, "
        f"the budget is {memory_budget_mib:g} MiB)"
    )


def measure(
    kernel: str,
    tokens: int,
    width: int,
    heads: int,
    *,
    device: torch.device,
    memory_budget_mib: float,
    workspace_mib: float,
    repeats: int,
) -> Point:
    """Return the measured point; nothing is allocated when its peak would exceed the budget.

    Raises:
        UserError: the kernel is not available on ``device``.
    """
    check_kernel(kernel, device, width, heads)
    predicted_bytes = predict_peak_bytes(kernel, tokens, width, heads, device)
    point = Point(
        kernel=kernel,
        tokens=tokens,
        width=width,
        heads=heads,
        device=device.type,
        status="out_of_memory",
        attention_matrix_mib=heads * tokens * tokens * 4 / MIB,
        predicted_mib=predicted_bytes / MIB + workspace_mib,
        workspace_mib=workspace_mib,
        threads=torch.get_num_threads(),
    )
    logger.info("predicted peak %.1f MiB, workspace included", point.predicted_mib)
    if point.predicted_mib > memory_budget_mib:
        return point
    try:
        return _measure_for_real(point, device, repeats)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        logger.warning("the allocation failed: %s", error)
        return point


@torch.no_grad()
def _measure_for_real(point: Point, device: torch.device, repeats: int) -> Point:
    with device:
        layer = build_layer(point.kernel, point.tokens, point.width, point.heads)
        activation = torch.randn(1, point.tokens, point.width)
    counted_mib = count_peak_bytes(layer, activation) / MIB
    whole = _milliseconds(lambda: layer(activation), repeats, device)
    projections = _milliseconds(lambda: layer.project(activation), repeats, device)
    low, median, high = np.percentile(whole, [25, 50, 75]).tolist()
    return replace(
        point,
        status="ok",
        counted_mib=counted_mib,
        peak_mib=counted_mib + point.workspace_mib,
        milliseconds=median,
        milliseconds_low=low,
        milliseconds_high=high,
        projection_milliseconds=float(np.median(projections)),
    )


def _milliseconds(work: Callable[[], object], repeats: int, device: torch.device) -> list[float]:
    """Return the wall time of each of ``repeats`` calls, after the warm-ups."""
    times = []
    for _ in range(WARM_UPS + repeats):
        _wait_for(device)
        start = time.perf_counter()
        work()
        _wait_for(device)
        times.append((time.perf_counter() - start) * 1000)
    return times[WARM_UPS:]


def _wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
