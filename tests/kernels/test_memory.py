"""The counted peak is the published one, the predicted one, and what torch's allocator did."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensor
from torch.profiler import ProfilerActivity, profile

from rungs.kernels.available import build_layer
from rungs.kernels.memory import LiveStorages, count_peak_bytes, predict_peak_bytes

CPU = torch.device("cpu")
MIB = 2**20
WORKSPACE_MIB = 8.125
WIDTH = 512
HEADS = 8


def _count(kernel: str, tokens: int, width: int = WIDTH, heads: int = HEADS) -> int:
    layer = build_layer(kernel, tokens, width, heads)
    return count_peak_bytes(layer, torch.randn(1, tokens, width))


@pytest.mark.parametrize(
    ("tokens", "published_mib"),
    [
        (128, 14.6),
        (256, 19.2),
        (512, 34.4),
        (1024, 89.1),
        (2048, 296.1),
        (4096, 1100.1),
        (8192, 4300.1),
    ],
)
def test_predicted_peak_is_the_published_one(tokens: int, published_mib: float) -> None:
    counted = predict_peak_bytes("naive", tokens, WIDTH, HEADS, CPU) / MIB
    assert abs(counted + WORKSPACE_MIB - published_mib) <= 0.05


def test_real_count_is_the_published_one() -> None:
    assert abs(_count("naive", 512) / MIB + WORKSPACE_MIB - 34.4) <= 0.05


@pytest.mark.parametrize("tokens", [128, 1024, 8192, 16384])
def test_naive_peak_in_closed_form(tokens: int) -> None:
    weights = 4 * WIDTH * WIDTH * 4
    activation = tokens * WIDTH * 4
    scores = 2 * HEADS * tokens * tokens * 4
    mask = tokens * tokens
    averaging, masking = 6 * activation + mask, 4 * activation + 2 * mask
    predicted = predict_peak_bytes("naive", tokens, WIDTH, HEADS, CPU)
    assert predicted == weights + scores + max(averaging, masking)


@pytest.mark.parametrize("tokens", [128, 4096, 16384])
def test_tiled_peak_is_linear_in_tokens(tokens: int) -> None:
    weights = 4 * WIDTH * WIDTH * 4
    activations = 6 * tokens * WIDTH * 4
    assert predict_peak_bytes("tiled", tokens, WIDTH, HEADS, CPU) == weights + activations


@settings(max_examples=20, deadline=None)
@given(
    kernel=st.sampled_from(["naive", "tiled"]),
    tokens=st.integers(1, 200),
    heads=st.integers(1, 4),
    head_size=st.sampled_from([8, 24, 64]),
)
def test_predicted_peak_is_the_counted_one(
    kernel: str, tokens: int, heads: int, head_size: int
) -> None:
    width = heads * head_size
    counted = _count(kernel, tokens, width, heads)
    assert predict_peak_bytes(kernel, tokens, width, heads, CPU) == counted


@pytest.mark.parametrize("kernel", ["naive", "tiled"])
@pytest.mark.parametrize("tokens", [128, 256, 512, 1024])
def test_counted_peak_is_what_the_allocator_recorded(
    kernel: str, tokens: int, tmp_path: Path
) -> None:
    """An operator's private memory is in torch's record and not in ours; the peak is the same."""
    layer = build_layer(kernel, tokens, WIDTH, HEADS)
    activation = torch.randn(1, tokens, WIDTH)
    alive = [activation, *layer.parameters(), *layer.buffers()]
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        layer(activation)
    record.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    changes = [
        (event["ts"], event["args"]["Bytes"]) for event in events if event["name"] == "[memory]"
    ]
    now = peak = sum(_in_blocks(tensor.nbytes) for tensor in alive)
    for _, change in sorted(changes):
        now += _in_blocks(change) if change > 0 else -_in_blocks(-change)
        peak = max(peak, now)
    assert len(changes) > 6
    assert count_peak_bytes(layer, activation) == peak


def _in_blocks(size: int) -> int:
    return (size + 511) // 512 * 512


def test_views_count_once_and_freed_storages_leave_the_sum() -> None:
    with LiveStorages() as storages:
        first = torch.zeros(1024)
        views = [first.view(32, 32), first[5:], first.t()]
        assert storages.peak_bytes == 4096
        del first, views
        second = torch.zeros(1025)  # 4,100 bytes: nine blocks
    assert storages.peak_bytes == second.nbytes - 4 + 512


def test_prediction_makes_only_fake_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[torch.Tensor] = []
    original = LiveStorages._record

    def record(self: LiveStorages, values: Iterable[Any]) -> None:
        values = list(values)
        seen.extend(value for value in values if isinstance(value, torch.Tensor))
        original(self, values)

    monkeypatch.setattr(LiveStorages, "_record", record)
    predict_peak_bytes("naive", 128, WIDTH, HEADS, CPU)
    assert seen
    assert all(isinstance(tensor, FakeTensor) for tensor in seen)
