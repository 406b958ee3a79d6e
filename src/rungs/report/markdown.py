"""GitHub-flavoured Markdown in which everything that is put in is words, never markup."""

import re
from collections.abc import Iterable, Sequence

import jinja2
from markupsafe import Markup

from rungs.report.judged import ICONS, ClaimView
from rungs.report.table_view import TableView

# Beside what CommonMark and its GitHub extensions (tables, strikethrough) read inside a line, the
# dollar signs of mathematics.
_INLINE = re.compile(r"[\\`*_\[\]|~$]")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# A mention notifies someone, and a number after # becomes a link. An escape does not prevent it,
# because GitHub looks for them in the finished text; a comment in between does.
_REFERENCE = re.compile(r"([@#])(?=\w)")
_BLOCK_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|[-=]+$|#))")

LONGEST = 10
"""Rows of a table that a comment shows; of a longer one it names the file. GitHub takes 65,536
characters, which also is why the claims that hold are counted and not listed."""


def escape(text: object) -> Markup:
    """Return ``text`` as one line of Markdown that shows it as it is."""
    line = _BLOCK_START.sub(r"\1\\", alternative(text))
    return Markup(_REFERENCE.sub(r"\1<!-- -->", line))  # noqa: S704 - escaped just above


def alternative(text: object) -> Markup:
    """Return ``text`` for the alternative text of an image: it starts no line and links nothing."""
    line = " ".join(str(text).split())
    return Markup(_INLINE.sub(r"\\\g<0>", line).translate(_HTML))  # noqa: S704 - just escaped


def code(text: object) -> Markup:
    """Return ``text`` as a code span, fenced by more backticks than it has in a row."""
    line = " ".join(str(text).split())
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return Markup(f"{fence}{space}{line}{space}{fence}")  # noqa: S704 - a code span has no markup


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]
) -> Markup:
    """Return a table, its columns of numbers aligned to the right."""
    lines: list[Sequence[str]] = [
        [escape(heading) for heading in headings],
        ["---:" if number else "---" for number in numeric],
        *([escape(cell) for cell in row] for row in rows),
    ]
    return Markup("\n".join(f"| {' | '.join(cells)} |" for cells in lines))  # noqa: S704 - as above


def of_view(view: TableView) -> Markup:
    """Return a table of the page; a shared heading is repeated in each of its columns."""
    headings = [f"{c.group}: {c.heading}" if c.group else c.heading for c in view.columns]
    return table(headings, view.rows, [column.numeric for column in view.columns])


def of_claims(claims: Iterable[ClaimView]) -> Markup:
    """Return claims as a table."""
    rows = [
        (f"{ICONS.get(claim.verdict, '')} {claim.verdict}", claim.statement, claim.reason)
        for claim in claims
    ]
    return table(("verdict", "claim", "why"), rows, (False, False, False))


def environment() -> jinja2.Environment:
    """Return the environment of Markdown templates, which escapes whatever is not Markup."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("rungs.report"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else escape(value),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "alternative": alternative,
        "code": code,
        "of_view": of_view,
        "of_claims": of_claims,
    }
    made.filters["address"] = Markup  # as Page.link returns it, percent-encoded
    made.globals |= {"table": table, "longest": LONGEST}
    return made
