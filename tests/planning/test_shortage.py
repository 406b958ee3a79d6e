"""A plan says what does not fit."""

from pathlib import Path

import pytest

from rungs.planning.estimate import Cost
from rungs.planning.shortage import shortages

FITS = Cost(seconds=1, flops=1, mib=1, bytes=1, priority=0)


@pytest.mark.parametrize(
    ("cost", "says"),
    [(FITS, ""), (FITS._replace(mib=1e9), "memory"), (FITS._replace(bytes=1e18), "disk")],
)
def test_what_does_not_fit_is_said(tmp_path: Path, cost: Cost, says: str) -> None:
    found = shortages([FITS, cost], tmp_path / "not" / "yet")
    assert [sentence.startswith(f"Too little {says}:") for sentence in found] == [True] * bool(says)
