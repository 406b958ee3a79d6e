"""The judged claims as the page shows them, and the section each belongs to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rungs.published.load import sections
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

VERDICTS = ("reproduced", "direction only", "not reproduced", "not run")
NOT_RUN = VERDICTS[-1]
ICONS = dict(
    zip(VERDICTS, "\N{CHECK MARK}\N{ALMOST EQUAL TO}\N{BALLOT X}\N{WHITE CIRCLE}", strict=True)
)
SQUARES = dict(
    zip(
        VERDICTS,
        "\N{LARGE GREEN SQUARE}\N{LARGE YELLOW SQUARE}\N{LARGE RED SQUARE}\N{WHITE LARGE SQUARE}",
        strict=True,
    )
)
COLUMNS = ("id", "chapter", "section", "statement", "verdict", "reason")


@dataclass(frozen=True)
class ClaimView:
    """One judged claim, as text.

    Attributes:
        source: the chapter and its section, in words.
        table: the first table its number is found in; names the section of the page.
        verdict: one of :data:`VERDICTS`.
        reason: of a tested claim, both numbers and how they compare.
    """

    statement: str
    source: str
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
    def rows(self) -> list[tuple[str, str]]:
        """The verdicts, each with its sign, and their counts."""
        return [(f"{ICONS[verdict]} {verdict}", f"{n:,}") for verdict, n in self.counts.items()]

    @property
    def short(self) -> str:
        """How many hold, in the fewest words; nothing where none was tested."""
        return f"{self.counts[VERDICTS[0]]} of {self.total}" if self.tested else ""

    @property
    def squares(self) -> str:
        """The verdicts as a row of about twenty coloured squares, at least one a verdict."""
        shares = {v: max(1, round(20 * n / self.total)) for v, n in self.counts.items() if n}
        return "".join(SQUARES[verdict] * share for verdict, share in shares.items())

    @property
    def sentence(self) -> str:
        """How many of how many claims hold."""
        if not self.tested:
            return f"None of the {counted(self.total, 'published claim')} has been tested here."
        hold, untested = self.counts[VERDICTS[0]], self.counts[NOT_RUN]
        verb = "is" if 1 in (hold, self.total) else "are"
        words = f"{hold} of {counted(self.total, 'published claim')} {verb} reproduced"
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
    claims = read_shown(path, COLUMNS, may_be_empty=True)
    return [
        ClaimView(
            statement=str(row["statement"]),
            source=f"the {row['chapter']} chapter on {row['section']}",
            table=tables.get(row["id"], ""),
            verdict=str(row["verdict"]),
            reason=str(row["reason"]),
        )
        for row in claims.to_dict("records")
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
