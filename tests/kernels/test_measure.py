"""The stage that measures one point: what it writes, what it refuses, what it never allocates."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from rungs.errors import UserError
from rungs.kernels import measure as stage
from rungs.kernels.attention import NaiveAttention
from rungs.kernels.available import available_kernels
from tests.typed import typed


def _run(tmp_path: Path, **changes: object) -> tuple[str, dict[str, Any]]:
    options = {
        "kernel": "naive",
        "tokens": 128,
        "width": 512,
        "heads": 8,
        "memory-budget-mib": 8192,
        "workspace-mib": 8.125,
        "repeats": 3,
        "device": "cpu",
        "output": tmp_path / "kernels" / "128.json",
    }
    options |= {name.replace("_", "-"): value for name, value in changes.items()}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    summary = typed(stage, words)
    return summary, json.loads(Path(str(options["output"])).read_text())


@pytest.mark.parametrize("kernel", ["naive", "tiled"])
def test_point_holds_the_counts_and_the_times(tmp_path: Path, kernel: str) -> None:
    summary, point = _run(tmp_path, kernel=kernel)
    assert point["status"] == "ok"
    assert point["attention_matrix_mib"] == 0.5
    assert point["counted_mib"] == {"naive": 6.515625, "tiled": 5.5}[kernel]
    assert point["peak_mib"] == point["predicted_mib"] == point["counted_mib"] + 8.125
    assert 0 < point["milliseconds_low"] <= point["milliseconds"] <= point["milliseconds_high"]
    assert point["projection_milliseconds"] > 0
    assert point["threads"] == 1
    assert f"{point['peak_mib']:.1f} MiB" in summary


def test_untimed_fields_are_the_same_in_every_run(tmp_path: Path) -> None:
    points = [_run(tmp_path, tokens=100)[1] for _ in range(2)]
    first, second = (
        {name: value for name, value in point.items() if "milliseconds" not in name}
        for point in points
    )
    assert first == second


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """The queries that reach the naive kernel."""
    seen: list[Tensor] = []
    original = NaiveAttention.forward

    def forward(self: NaiveAttention, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        seen.append(query)
        return original(self, query, key, value)

    monkeypatch.setattr(NaiveAttention, "forward", forward)
    return seen


def test_tiny_budget_is_out_of_memory_without_running_the_kernel(
    tmp_path: Path, queries: list[Tensor]
) -> None:
    summary, point = _run(tmp_path, memory_budget_mib=14.6)
    assert [isinstance(query, FakeTensor) for query in queries] == [True]
    assert point["status"] == "out_of_memory"
    assert point["predicted_mib"] == pytest.approx(14.640625)
    assert point["attention_matrix_mib"] == 0.5
    measured = [name for name in point if "milliseconds" in name] + ["counted_mib", "peak_mib"]
    assert [point[name] for name in measured] == [None] * 6
    assert "out of memory" in summary
    assert "14.6 MiB" in summary


def test_budget_that_just_fits_runs_the_kernel(tmp_path: Path, queries: list[Tensor]) -> None:
    _, point = _run(tmp_path, memory_budget_mib=14.640625)
    assert point["status"] == "ok"
    assert [isinstance(query, FakeTensor) for query in queries].count(False) > 0


def test_published_out_of_memory(tmp_path: Path) -> None:
    _, point = _run(tmp_path, tokens=16384)
    assert point["status"] == "out_of_memory"
    assert point["attention_matrix_mib"] == 8192


def test_failed_allocation_is_out_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhaust(self: NaiveAttention, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return query if isinstance(query, FakeTensor) else torch.empty(2**60, dtype=torch.uint8)

    monkeypatch.setattr(NaiveAttention, "forward", exhaust)
    monkeypatch.setattr(stage, "predict_peak_bytes", lambda *_: 0)
    _, point = _run(tmp_path)
    assert point["status"] == "out_of_memory"
    assert point["peak_mib"] is None


def test_a_defect_is_not_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NaiveAttention, "forward", lambda self, query, key, value: query @ value)
    monkeypatch.setattr(stage, "predict_peak_bytes", lambda *_: 0)
    with pytest.raises(RuntimeError, match="Expected size"):
        _run(tmp_path)


@pytest.mark.parametrize("kernel", ["flash", "memory_efficient", "cudnn", "naiv"])
def test_unavailable_kernel_is_refused_by_name(tmp_path: Path, kernel: str) -> None:
    with pytest.raises(UserError) as refusal:
        _run(tmp_path, kernel=kernel)
    assert repr(kernel) in str(refusal.value)
    assert "cpu" in str(refusal.value)
    assert "naive, tiled" in str(refusal.value)
    assert not list(tmp_path.rglob("*.json"))


def test_cpu_offers_the_two_kernels_of_every_device() -> None:
    assert available_kernels(torch.device("cpu")) == ("naive", "tiled")


def test_heads_that_do_not_divide_the_width_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="width 512 does not divide into 7 heads"):
        _run(tmp_path, heads=7)
