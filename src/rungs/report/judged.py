"""The judged claims as the page shows them, and the section each belongs to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rungs.published.load import sections
from rungs.report.numbers import MINUS, counted, estimate
from rungs.report.reading import read_table

VERDICTS = ("reproduced", "direction only", "not reproduced", "not run")
NOT_RUN = VERDICTS[-1]
COLUMNS = (
    "id",
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
        verb = "is" if hold == 1 else "are"
        return f"{hold} of {counted(self.tested, 'tested claim')} {verb} reproduced."


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
    claims = read_table(path, COLUMNS, may_be_empty=True, as_text=True)
    rows = [
        {str(key): str(value) for key, value in row.items()} for row in claims.to_dict("records")
    ]
    return [
        ClaimView(
            statement=row["statement"],
            table=tables.get(row["id"], ""),
            verdict=row["verdict"],
            numbers=_numbers(row),
            reason=row["reason"],
        )
        for row in rows
    ]


def _numbers(row: dict[str, str]) -> str:
    """Return ``published 38.07, reproduced 38.9 [38.1, 39.7]``, or what there is of it."""
    parts = [f"published {_digits(row['published'])}"] if row["published"] else []
    if row["reproduced"]:
        parts.append(f"reproduced {_reproduced(row)}")
    return ", ".join(parts)


def _reproduced(row: dict[str, str]) -> str:
    """Return our value: with its interval, or else with the digits the table of claims has."""
    if row["low"] and row["high"]:
        mean, low, high, seeds = (float(row[key]) for key in ("reproduced", "low", "high", "seeds"))
        return estimate(mean, low, high, seeds)
    note = f" ({counted(int(row['seeds']), 'seed')})" if row["seeds"] else ""
    return _digits(row["reproduced"]) + note


def _digits(text: str) -> str:
    """Return a number's text with a true minus sign, and commas in a large whole number."""
    if text.lstrip("-").isdigit():
        text = f"{int(text):,}"
    return text.replace("-", MINUS) if text.startswith("-") else text
