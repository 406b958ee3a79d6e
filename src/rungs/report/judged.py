"""The judged claims as the page shows them, and the section each belongs to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rungs.published.load import sections
from rungs.tables.numbers import counted
from rungs.tables.reading import read_table

VERDICTS = ("reproduced", "direction only", "not reproduced", "not run")
NOT_RUN = VERDICTS[-1]
COLUMNS = ("id", "statement", "verdict", "reason")


@dataclass(frozen=True)
class ClaimView:
    """One judged claim, as text.

    Attributes:
        table: the first table its number is found in; names the section of the page.
        verdict: one of :data:`VERDICTS`.
        reason: of a tested claim, both numbers and how they compare.
    """

    statement: str
    table: str
    verdict: str
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
        """How many of how many claims hold."""
        if not self.tested:
            return f"None of the {counted(self.total, 'published claim')} has been tested here."
        hold, untested = self.counts[VERDICTS[0]], self.counts[NOT_RUN]
        words = f"{hold} of {counted(self.total, 'published claim')} {_are(hold)} reproduced"
        if not untested:
            return f"{words}."
        return f"{words}; {untested:,} {_are(untested)} not tested by this run."


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
    claims = read_table(path, COLUMNS, may_be_empty=True)
    return [
        ClaimView(
            statement=str(row["statement"]),
            table=tables.get(row["id"], ""),
            verdict=str(row["verdict"]),
            reason=str(row["reason"]),
        )
        for row in claims.to_dict("records")
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
