"""The verdicts that are published in ``reference/`` are those of today's claims and rules."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import t

from rungs.claims.verdicts import judge
from rungs.published.load import sections
from rungs.tables.intervals import OWN_SHARE_FROM

ROOT = Path(__file__).parents[2]
CLAIMS = {claim.id: claim for section in sections() for claim in section.claims}


@pytest.fixture
def published() -> pd.DataFrame:
    path = ROOT / "reference/claims.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False).set_index("id")


def test_the_claims_are_those_of_today(published: pd.DataFrame) -> None:
    assert published["statement"].to_dict() == {c.id: c.statement for c in CLAIMS.values()}
    assert published["kind"].to_dict() == {c.id: c.kind for c in CLAIMS.values()}


def test_the_verdicts_are_those_of_todays_rules(published: pd.DataFrame) -> None:
    numbers = published[published["reproduced"].str.fullmatch(r"-?[\d.e+-]+")]
    judged = numbers[(numbers["verdict"] != "not run") & ~numbers["kind"].isin(["check", "every"])]
    for name, row in judged.iterrows():
        if int(row["seeds"] or 1) >= OWN_SHARE_FROM:
            continue  # read off the draws, which the table does not have
        values = list(_sample(row))
        found = judge(CLAIMS[str(name)], values, seeded=bool(row["seeds"]))
        assert found.verdict == row["verdict"], (name, found.reason, row["reason"])


def _sample(row: "pd.Series[str]") -> Iterator[float]:
    """Yield numbers with the row's mean, interval and count of seeds."""
    mean, seeds = float(row["reproduced"]), int(row["seeds"] or 1)
    if seeds > 1:
        half = (float(row["high"]) - float(row["low"])) / 2
        deviation = half * seeds**0.5 / float(t.ppf(0.975, seeds - 1))
        away = deviation * ((seeds - 1) / 2) ** 0.5
        yield from (mean - away, mean + away)
    yield from [mean] * (seeds - 2 if seeds > 1 else 1)
