"""The judged claims as the page shows them, and the section each belongs to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

VERDICTS = ("reproduced", "direction only", "undecided", "not reproduced", "not run")
HOLDS, NOT_RUN = VERDICTS[0], VERDICTS[-1]
_SIGNS = "\N{CHECK MARK}\N{ALMOST EQUAL TO}?\N{BALLOT X}\N{WHITE CIRCLE}"
ICONS = dict(zip(VERDICTS, _SIGNS, strict=True))
_SQUARES = (
    "\N{LARGE GREEN SQUARE}\N{LARGE YELLOW SQUARE}\N{LARGE BLUE SQUARE}\N{LARGE RED SQUARE}"
    "\N{WHITE LARGE SQUARE}"
)
SQUARES = dict(zip(VERDICTS, _SQUARES, strict=True))
COLUMNS = ("id", "chapter", "section", "table", "statement", "kind", "same_as", "verdict", "reason")


@dataclass(frozen=True)
class ClaimView:
    """One judged claim, as text.

    Attributes:
        source: the chapter and its section, in words.
        table: the first table its number is found in; names the section of the page.
        kind: a check is what no run could break.
        counted: whether it is counted, and not with another claim on the same measurement.
        verdict: one of :data:`VERDICTS`.
        reason: of a tested claim, both numbers and how they compare.
    """

    statement: str
    source: str
    table: str
    kind: str
    counted: bool
    verdict: str
    reason: str


@dataclass(frozen=True)
class Tally:
    """How many claims got each verdict; one measurement is counted once.

    Attributes:
        counts: of the claims that a run could break, by verdict.
        checks: of what no run could break, the same.
    """

    counts: dict[str, int]
    checks: dict[str, int]

    @property
    def tested(self) -> int:
        """All that was compared with a number of ours."""
        return sum(sum(of.values()) - of[NOT_RUN] for of in (self.counts, self.checks))

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The verdicts, each with its sign, and the counts of claims and checks."""
        return [
            (f"{ICONS[verdict]} {verdict}", f"{n:,}", f"{self.checks[verdict]:,}")
            for verdict, n in self.counts.items()
        ]

    @property
    def short(self) -> str:
        """How many hold, in the fewest words; nothing where none was tested."""
        if not self.tested:
            return ""
        if claims := sum(self.counts.values()):
            return f"{self.counts[HOLDS]} of {counted(claims, 'claim')}"
        return f"{self.checks[HOLDS]} of {counted(sum(self.checks.values()), 'check')}"

    @property
    def squares(self) -> str:
        """The verdicts as a row of about twenty coloured squares, at least one a verdict."""
        total = sum(self.counts.values())
        shares = {v: max(1, round(20 * n / total)) for v, n in self.counts.items() if n}
        return "".join(SQUARES[verdict] * share for verdict, share in shares.items())

    @property
    def sentence(self) -> str:
        """How many of the claims that a run could break hold, and how many of the checks."""
        claims, checks = (sum(of.values()) for of in (self.counts, self.checks))
        if not self.tested:
            return (
                f"None of the {counted(claims + checks, 'published claim')} has been tested here."
            )
        said = []
        if claims:
            said.append(
                f"Of {counted(claims, 'claim')} that a run could break: {_of(self.counts)}."
            )
        if checks:
            said.append(f"Of {counted(checks, 'check')} that none could: {_of(self.checks)}.")
        return " ".join(said)


def _of(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {verdict}" for verdict, n in counts.items() if n)


def tally(claims: Sequence[ClaimView]) -> Tally:
    """Count the verdicts, in the order of :data:`VERDICTS`."""
    found = Counter((claim.kind == "check", claim.verdict) for claim in claims if claim.counted)
    counts, checks = ({v: found[check, v] for v in VERDICTS} for check in (False, True))
    return Tally(counts, checks)


def read_claims(path: Path) -> list[ClaimView]:
    """Return the claims of ``claims.csv``.

    Raises:
        UserError: the file cannot be read or is not such a table.
    """
    claims = read_shown(path, COLUMNS, may_be_empty=True)
    return [
        ClaimView(
            statement=str(row["statement"]),
            source=f"the {row['chapter']} chapter on {row['section']}",
            table=str(row["table"]),
            kind=str(row["kind"]),
            counted=not row["same_as"],
            verdict=str(row["verdict"]),
            reason=str(row["reason"]),
        )
        for row in claims.to_dict("records")
    ]
