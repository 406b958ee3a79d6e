"""The judged claims as the page shows them, and the section each belongs to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from rungs.published.load import sections
from rungs.report.numbers import MINUS, counted, estimate
from rungs.report.reading import read_table

VERDICTS = ("reproduced", "direction only", "not reproduced", "not run")
NOT_RUN = VERDICTS[-1]
COLUMNS = (
    "id",
    "section",
    "statement",
    "published",
    "reproduced",
    "low",
    "high",
    "seeds",
    "verdict",
    "reason",
)


@dataclass(frozen=True)
class ClaimView:
    """One judged claim, as text.

    Attributes:
        table: the first table its number is found in; names the section of the page.
        verdict: one of :data:`VERDICTS`.
        numbers: published beside reproduced, or an empty string.
    """

    statement: str
    section: str
    table: str
    verdict: str
    numbers: str
    reason: str


@dataclass(frozen=True)
class Tally:
    """How many claims got each verdict."""

    counts: dict[str, int]

    @property
    def total(self) -> int:
        """All claims."""
        return sum(self.counts.values())

    @property
    def tested(self) -> int:
        """The claims that were compared with a number of ours."""
        return self.total - self.counts[NOT_RUN]

    @property
    def sentence(self) -> str:
        """The count of the claims that hold."""
        if not self.tested:
            return f"None of the {counted(self.total, 'published claim')} has been tested here."
        hold = self.counts[VERDICTS[0]]
        return f"{hold} of {counted(self.tested, 'tested claim')} {'is' if hold == 1 else 'are'} reproduced."


def tally(claims: Sequence[ClaimView]) -> Tally:
    """Count the verdicts, in the order of :data:`VERDICTS`."""
    counts = Counter(claim.verdict for claim in claims)
    return Tally({verdict: counts[verdict] for verdict in VERDICTS})


def read_claims(path: Path) -> list[ClaimView]:
    """Return the claims of ``claims.csv``.

    Raises:
        UserError: the file cannot be read or is not such a table.
    """
    tables = {claim.id: claim.cells[0].table for section in sections() for claim in section.claims}
    claims = read_table(path, COLUMNS, may_be_empty=True).astype(object)
    claims = claims.where(claims.notna(), "")
    return [
        ClaimView(
            statement=str(row["statement"]),
            section=str(row["section"]),
            table=tables.get(str(row["id"]), ""),
            verdict=str(row["verdict"]),
            numbers=_numbers(row),
            reason=str(row["reason"]),
        )
        for row in claims.to_dict("records")
    ]


def _numbers(row: dict[str, object]) -> str:
    """Return ``published 38.07, reproduced 38.9 [38.1, 39.7]``, or what there is of it."""
    published = str(row["published"]).replace("-", MINUS)
    parts = [f"published {published}"] if published else []
    if row["reproduced"] != "":
        parts.append(f"reproduced {_reproduced(row)}")
    return ", ".join(parts)


def _reproduced(row: dict[str, object]) -> str:
    """Return our value: with its interval, or else exactly as the table of claims has it."""
    mean, low, high = (
        pd.to_numeric(row[key], errors="coerce") for key in ("reproduced", "low", "high")
    )
    if not pd.isna(low) and not pd.isna(high):
        return estimate(float(mean), float(low), float(high), 0)
    text = str(row["reproduced"])
    if not pd.isna(mean) and not float(mean).is_integer():
        text = f"{mean:.6g}"
    return text.replace("-", MINUS) + (" (1 seed)" if row["seeds"] in (1, "1") else "")
