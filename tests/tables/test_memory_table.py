"""The cost table and its exponents, from points written by hand and from the chapter's own."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.errors import UserError
from rungs.tables import memory as stage
from tests.typed import typed


def _point(kernel: str, tokens: int, peak_mib: float | None, **changes: object) -> dict[str, Any]:
    ok = peak_mib is not None
    return {
        "kernel": kernel,
        "tokens": tokens,
        "width": 512,
        "heads": 8,
        "device": "cpu",
        "status": "ok" if ok else "out_of_memory",
        "attention_matrix_mib": 8 * tokens**2 * 4 / 2**20,
        "predicted_mib": 1.0,
        "workspace_mib": 8.125,
        "threads": 1,
        "counted_mib": None if peak_mib is None else peak_mib - 8.125,
        "peak_mib": peak_mib,
        "milliseconds": tokens / 100 if ok else None,
        "milliseconds_low": 1.0 if ok else None,
        "milliseconds_high": 9.0 if ok else None,
        "projection_milliseconds": 0.5 if ok else None,
    } | changes


def _published_points() -> list[dict[str, Any]]:
    """The chapter's table in the form of our points."""
    rows = [
        (128, 14.6, 2.246),
        (256, 19.2, 2.855),
        (512, 34.4, 5.761),
        (1024, 89.1, 16.414),
        (2048, 296.1, 51.573),
        (4096, 1100.1, 225.432),
        (8192, 4300.1, 832.838),
        (16384, None, None),
    ]
    return [_point("naive", tokens, peak, milliseconds=ms) for tokens, peak, ms in rows]


def _run(folder: Path, points: Iterable[dict[str, Any]]) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    paths = []
    for number, point in enumerate(points):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps(point))
    costs, exponents = folder / "memory.csv", folder / "exponents.csv"
    words = ["--points", *paths, "--output", costs, "--exponents", exponents]
    summary = typed(stage, words)
    return summary, pd.read_csv(costs), pd.read_csv(exponents)


def test_chapter_exponents_follow_from_the_chapter_table(tmp_path: Path) -> None:
    summary, costs, exponents = _run(tmp_path, _published_points())
    assert costs["peak_mib"].equals(costs["peak_mib_published"])
    assert costs["milliseconds"].equals(costs["milliseconds_published"])
    assert exponents["quantity"].tolist() == ["milliseconds", "peak_mib"]
    assert exponents["exponent"].round(2).tolist() == [1.91, 1.87]
    assert exponents["exponent_published"].tolist() == [1.91, 1.87]
    assert exponents["first_tokens"].unique().tolist() == [1024]
    assert exponents["last_tokens"].unique().tolist() == [8192]
    assert "peak_mib n^1.87" in summary


def test_chapter_ratios_follow_from_the_chapter_table(tmp_path: Path) -> None:
    _, costs, _ = _run(tmp_path, _published_points())
    # From megabytes rounded to a tenth, so that the last digit may differ by one: the chapter
    # prints 1.31 for 19.2 / 14.6, which is 1.315.
    memory, time = costs["peak_ratio"].tolist()[1:7], costs["milliseconds_ratio"].tolist()[1:7]
    assert memory == pytest.approx([1.31, 1.79, 2.59, 3.32, 3.72, 3.91], abs=0.0055)
    assert time == pytest.approx([1.27, 2.02, 2.85, 3.14, 4.37, 3.69], abs=0.0055)


def test_table_is_sorted_and_has_the_agreed_columns(tmp_path: Path) -> None:
    points = [
        _point("tiled", 256, 15.125),
        _point("naive", 16384, None),
        _point("naive", 256, 19.1875),
        _point("tiled", 128, 13.625),
        _point("naive", 128, 14.640625),
    ]
    _, costs, _ = _run(tmp_path, points)
    assert costs.columns.tolist() == [
        "kernel",
        "tokens",
        "status",
        "milliseconds",
        "projection_milliseconds",
        "attention_matrix_mib",
        "counted_mib",
        "workspace_mib",
        "peak_mib",
        "peak_mib_published",
        "milliseconds_published",
        "peak_ratio",
        "milliseconds_ratio",
    ]
    rows = costs[["kernel", "tokens"]].apply(tuple, axis=1).tolist()
    assert rows == [
        ("naive", 128),
        ("naive", 256),
        ("naive", 16384),
        ("tiled", 128),
        ("tiled", 256),
    ]
    assert (tmp_path / "memory.csv").read_text().splitlines()[1:4] == [
        "naive,128,ok,1.28,0.5,0.5,6.515625,8.125,14.640625,14.6,2.246,,",
        "naive,256,ok,2.56,0.5,2,11.0625,8.125,19.1875,19.2,2.855,1.3105656,2",
        "naive,16384,out_of_memory,,,8192,,8.125,,,,,",
    ]


def test_published_values_stand_only_beside_the_layer_they_were_measured_on(
    tmp_path: Path,
) -> None:
    points = [
        _point("naive", 128, 14.6),
        _point("naive", 300, 20.0),
        _point("tiled", 128, 13.6),
        _point("tiled", 256, 15.1),
    ]
    _, costs, exponents = _run(tmp_path, points)
    assert costs["peak_mib_published"].notna().tolist() == [True, False, False, False]
    assert exponents["exponent_published"].isna().all()
    for other in ({"width": 64}, {"heads": 4}, {"workspace_mib": 0.0}):
        _, costs, _ = _run(tmp_path, [_point("naive", 128, 14.6, **other)])
        assert costs["peak_mib_published"].isna().all()


def test_exponents_use_the_last_four_rows_that_ran(tmp_path: Path) -> None:
    sizes = [128, 256, 512, 1024, 2048, 4096]
    points = [_point("naive", tokens, tokens**2 / 1000) for tokens in sizes]
    points[0]["peak_mib"] = points[1]["peak_mib"] = 1e6  # would bend the line if they were used
    _, _, exponents = _run(tmp_path, [*points, _point("naive", 8192, None)])
    fitted = exponents.set_index("quantity")
    assert fitted.loc["peak_mib", "exponent"] == 2
    assert fitted.loc["milliseconds", "exponent"] == 1
    assert fitted["first_tokens"].unique().tolist() == [512]
    assert fitted["last_tokens"].unique().tolist() == [4096]


def test_growth_and_the_published_exponent_are_of_doublings(tmp_path: Path) -> None:
    every = _published_points()
    points = [point for point in every if point["tokens"] not in (2048, 4096)]
    _, costs, exponents = _run(tmp_path, points)
    beyond = costs.set_index("tokens").loc[8192]
    assert beyond[["peak_ratio", "milliseconds_ratio"]].isna().all()
    assert costs.set_index("tokens").loc[1024, "peak_ratio"] > 2
    _, _, exponents = _run(tmp_path, [p for p in every if p["tokens"] in (1024, 8192)])
    assert exponents["fitted_rows"].tolist() == [2, 2]
    assert exponents["exponent_published"].isna().all()


def test_too_few_rows_have_no_exponent(tmp_path: Path) -> None:
    points = [_point("naive", 128, 14.6), _point("naive", 256, None)]
    summary, costs, exponents = _run(tmp_path, points)
    assert len(costs) == 2
    assert exponents.empty
    assert exponents.columns.tolist() == stage.EXPONENT_COLUMNS
    assert "too few" in summary


def test_table_where_nothing_ran(tmp_path: Path) -> None:
    _, costs, exponents = _run(tmp_path, [_point("naive", n, None) for n in (128, 256)])
    assert costs["status"].unique().tolist() == ["out_of_memory"]
    assert costs["peak_ratio"].isna().all()
    assert exponents.empty


@given(power=st.floats(0.1, 3), factor=st.floats(0.01, 100))
def test_exponent_recovers_a_power_law(power: float, factor: float) -> None:
    tokens = pd.Series([512, 1024, 2048, 4096]).to_numpy()
    assert stage.exponent(tokens, factor * tokens**power) == pytest.approx(power)


def test_unreadable_point_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.json"):
        stage.run(
            points=[tmp_path / "absent.json"],
            output=tmp_path / "a.csv",
            exponents=tmp_path / "b.csv",
        )
    assert not list(tmp_path.iterdir())


def test_table_never_waits_for_torch() -> None:
    code = "import rungs.tables.memory, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("edit", [{"tokens": "many"}, {"peak_mib": "cpu"}, {"kernel": None}])
def test_a_damaged_point_is_named_among_whole_ones(tmp_path: Path, edit: dict[str, Any]) -> None:
    points = [_point("naive", 128, 14.6), _point("naive", 256, 19.2) | edit]
    if edit == {"kernel": None}:
        del points[1]["kernel"]
    with pytest.raises(UserError, match=r"/1\.json: .*; delete it and run again"):
        _run(tmp_path, points)
