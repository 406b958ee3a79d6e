"""Readings on the page: what each wins and loses, and nothing where there is none."""

from pathlib import Path

import pandas as pd

from rungs.config import read_config
from rungs.report.reading_view import reading_section

ROOT = Path(__file__).parents[2]
PREVIEW = (ROOT / "config.yaml", ROOT / "config" / "preview.yaml")


def rows(*judged: tuple[str, str, str, str]) -> pd.DataFrame:
    columns = ["reading", "id", "default", "verdict"]
    numbers = dict.fromkeys(("reproduced", "low", "high", "one_more_low", "one_more_high"), "")
    return pd.DataFrame(judged, columns=columns).assign(
        reason="why", standing="found by fit", **numbers
    )


def test_wins_and_losses_are_counted_for_each_reading(tmp_path: Path) -> None:
    config = read_config(*PREVIEW)
    rows(
        ("batch_32", "a", "undecided", "reproduced"),
        ("batch_32", "b", "reproduced", "not reproduced"),
        ("batch_32", "c", "reproduced", "not run"),
        ("gradient_output", "d", "reproduced", "reproduced"),
    ).to_csv(tmp_path / "readings.csv", index=False)
    section = reading_section(config, tmp_path, [])
    assert section is not None
    readings, changes = section.tables
    found = {row[2]: row[-3:] for row in readings.rows}
    assert found == {
        "that of its output projection W_o": ["1 of 1", "0", "0"],
        "on half as many": ["2 of 3", "1", "1"],
    }
    assert [row[:4] for row in changes.rows] == [
        ["a", "batch_32", "undecided", "reproduced"],
        ["b", "batch_32", "reproduced", "not reproduced"],
    ]


def test_without_readings_there_is_no_section_and_without_its_table_a_way_to_it(
    tmp_path: Path,
) -> None:
    config = read_config(*PREVIEW)
    section = reading_section(config, tmp_path, [])
    assert section is not None
    assert section.missing == [("The judgement under readings", "readings.csv")]
    without = read_config(*PREVIEW, values=["readings=[]"])
    assert reading_section(without, tmp_path, []) is None
