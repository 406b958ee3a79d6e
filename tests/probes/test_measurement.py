"""The file every probe writes: what goes in comes out, and what cannot be one is refused."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.errors import UserError
from rungs.probes.measurement import (
    Measurement,
    over_seeds,
    read_measurements,
    write_measurements,
)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.dictionaries(WORDS, st.integers(-(2**53), 2**53) | WORDS)
MEASUREMENTS = st.builds(
    Measurement, row=ROWS, metric=st.just("metric"), by_seed=st.lists(NUMBERS, min_size=1)
) | st.builds(Measurement, row=ROWS, metric=st.just("metric"), exact=NUMBERS | WORDS)


@given(measurements=st.lists(MEASUREMENTS, max_size=4))
def test_what_is_written_is_read(
    measurements: list[Measurement], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("probe") / "probe.json"
    write_measurements(path, measurements)
    assert read_measurements(path) == measurements


def test_repetitions_are_collected_by_row_and_metric() -> None:
    first = [({"width": 4}, "variance", 3.9), ({"width": 8}, "variance", 8.2)]
    second = [({"width": 4}, "variance", 4.1), ({"width": 8}, "variance", 7.9)]
    collected = over_seeds([first, second])
    assert [(m.row, m.by_seed) for m in collected] == [
        ({"width": 4}, [3.9, 4.1]),
        ({"width": 8}, [8.2, 7.9]),
    ]
    with pytest.raises(ValueError, match="shorter"):
        over_seeds([first, second[:1]])


@pytest.mark.parametrize(
    "change",
    [
        {"by_seed": []},
        {"by_seed": None},
        {"exact": 1.0},
        {"by_seed": [float("nan")]},
        {"metric": "Not a name"},
        {"unit": "nats"},
    ],
)
def test_what_is_no_measurement_is_refused(change: dict[str, Any]) -> None:
    good = {"row": {"width": 4}, "metric": "variance", "by_seed": [4.0]}
    Measurement.model_validate(good)
    with pytest.raises(ValueError, match="1 validation error"):
        Measurement.model_validate(good | change)


@pytest.mark.parametrize("content", ["{}", "[1]", '[{"row": {}}]', "nonsense"])
def test_a_damaged_file_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "variance.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"variance\.json: .*delete it and run again"):
        read_measurements(path)
