"""The judged claims as the page shows them, and the section each belongs to."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from rungs.published.load import sections
from rungs.report.claim_axis import Line, claim_axis
from rungs.report.evidence import Evidence
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
NUMBERS = ("low", "high", "one_more_low", "one_more_high")
COLUMNS = (
    *("id", "chapter", "section", "table", "statement", "kind", "published", "same_as"),
    *("reproduced", *NUMBERS, "verdict", "reason"),
)
TEXTS = ("id", "chapter", "section", "statement", "table", "kind", "verdict", "reason")


def source_of(chapter: str) -> str:
    """Return what is called a chapter as one, and a reader's own source by its name."""
    return f"the {chapter} chapter" if chapter in {s.chapter for s in sections()} else chapter


@dataclass(frozen=True)
class ClaimView:
    """One judged claim.

    Attributes:
        published: the printed number, NaN where there is none.
        line: ours with its intervals, and the single draws where they are known.
        readings: under which other readings it was judged: the reading, the verdict and why.
        evidence: what it rests on; None of a reader's own.
        table: the first table its number is found in; names the section of the page.
        kind: a check is what no run could break.
        counted: whether it is counted, and not with another claim on the same measurement.
        verdict: one of :data:`VERDICTS`.
        reason: of a tested claim, both numbers and how they compare.
    """

    id: str
    chapter: str
    section: str
    statement: str
    table: str
    kind: str
    counted: bool
    verdict: str
    reason: str
    published: float
    line: Line
    readings: tuple[tuple[str, str, str], ...]
    evidence: Evidence | None

    @property
    def source(self) -> str:
        """The chapter and its section, in words."""
        return f"{source_of(self.chapter)} on {self.section}"

    @property
    def axis(self) -> Markup:
        """The drawing of its numbers; nothing of a check, which has no spread."""
        return Markup() if self.kind == "check" else claim_axis(self.published, self.line)


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
    def of_all(self) -> dict[str, int]:
        """How many got each verdict, checks included."""
        return {verdict: n + self.checks[verdict] for verdict, n in self.counts.items()}

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


def read_claims(
    path: Path, evidence: Mapping[str, Evidence], readings: Path | None = None
) -> list[ClaimView]:
    """Return the claims of ``claims.csv``.

    Args:
        path: the table.
        evidence: what claims rest on, by their names.
        readings: ``readings.csv``, where there is one.

    Raises:
        UserError: a file cannot be read or is not such a table.
    """
    claims = read_shown(path, COLUMNS, may_be_empty=True)
    under = _by_claim(readings) if readings else {}
    return [_view(row, evidence.get(str(row["id"])), under) for row in claims.to_dict("records")]


def _view(
    row: Mapping[Any, Any],
    evidence: Evidence | None,
    under: Mapping[str, tuple[tuple[str, str, str], ...]],
) -> ClaimView:
    return ClaimView(
        **{name: str(row[name]) for name in TEXTS},
        counted=not row["same_as"],
        published=_number(row["published"]),
        line=line_of("reproduced", row, evidence.points if evidence else ()),
        readings=under.get(str(row["id"]), ()),
        evidence=evidence,
    )


def _by_claim(path: Path) -> dict[str, tuple[tuple[str, str, str], ...]]:
    table = read_shown(path, ("id", "reading", "verdict", "reason"), may_be_empty=True)
    found: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for row in table.to_dict("records"):
        said = (str(row["reading"]), str(row["verdict"]), str(row["reason"]))
        found[str(row["id"])] = (*found.get(str(row["id"]), ()), said)
    return found


def line_of(name: str, row: Mapping[Any, Any], points: tuple[tuple[str, float], ...] = ()) -> Line:
    """Return the number of a row of ``claims.csv`` or ``readings.csv``, to be drawn.

    Args:
        name: of the line, in words.
        row: with ``reproduced`` and `NUMBERS`.
        points: the single draws by name, where they are known.
    """
    low, high, one_more_low, one_more_high = (float(row[end]) for end in NUMBERS)
    return Line(name, _number(row["reproduced"]), low, high, one_more_low, one_more_high, points)


def _number(cell: object) -> float:
    """Return a cell that holds a number or a word as a number, NaN where it is a word."""
    try:
        return float(str(cell))
    except ValueError:
        return math.nan
