"""Stage ``claims``: every published number and comparison, with ours and a verdict."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd

from rungs.claims.quantities import Diverged, NotMade, NotRun, evaluate
from rungs.claims.results import Results, corpus_file
from rungs.claims.verdicts import Judgement, judge, judge_word
from rungs.published.load import own_sections, sections
from rungs.published.quantity import Cell
from rungs.published.schema import Claim, Section
from rungs.tables.comparable import mismatch
from rungs.tables.intervals import Estimate
from rungs.tables.settings import COMMAND, ClaimSettings
from rungs.tables.writing import write_csv

JUDGED = [
    *("reproduced", "low", "high", "one_more_low", "one_more_high", "seeds"),
    *("verdict", "seeds_to_decide", "reason"),
]
"""What :func:`judged` gives."""
COLUMNS = [
    *("id", "chapter", "section", "table"),
    *("statement", "kind", "published", "derived", "same_as"),
    *JUDGED,
]


def run(
    *,
    results: Annotated[Path, "folder; any part may lack"],
    settings: ClaimSettings,
    own: Annotated[Sequence[Path], "YAML: a reader's own sections of claims"] = (),
    output: Annotated[Path, "CSV"],
) -> str:
    """Write one row per claim, in the chapters' order, a reader's own last.

    Raises:
        UserError: a table is there and malformed, or a section of claims is.
    """
    table = claim_table(Results(results, settings.probes), settings, own_sections(own))
    write_csv(table, output)
    counts = Counter(table["verdict"])
    return f"{len(table)} claims: " + ", ".join(f"{n} {v}" for v, n in counts.most_common())


def claim_table(
    results: Results, settings: ClaimSettings, own: Sequence[Section] = ()
) -> pd.DataFrame:
    """Return every claim with ``COLUMNS``; numbers are text, with the digits they deserve."""
    rows = []
    for section in (*sections(), *own):
        for claim in section.claims:
            # What a reader claims is of the experiments as they are configured.
            problem = None if section in own else not_comparable(claim, settings)
            judgement = judge_claim(claim, results, settings, problem)
            rows.append(
                {
                    "id": claim.id,
                    "chapter": section.chapter,
                    "section": section.section,
                    "table": claim.cells[0].table,
                    "statement": claim.statement,
                    "kind": claim.kind,
                    "published": "" if claim.published is None else str(claim.published),
                    "derived": "yes" if claim.derived else "",
                    "same_as": claim.same_as or "",
                    **judged(judgement),
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def judge_claim(
    claim: Claim, results: Results, settings: ClaimSettings, problem: str | None
) -> Judgement:
    """Judge a claim by the results.

    Args:
        claim: the claim.
        results: what was reproduced.
        settings: what was configured.
        problem: how that is not the setting it was published for, if it is not.
    """
    if problem := problem or not_wanted(claim, settings):
        return Judgement("not run", problem)
    try:
        if isinstance(claim.published, str) and isinstance(claim.quantity, Cell):
            return judge_word(claim, results.word(claim.quantity))
        values = evaluate(claim.quantity, results.numbers)
    except Diverged as ended:
        return Judgement("not reproduced", str(ended))
    except NotRun as missing:
        return Judgement("not run", f"{missing}; {remedy(claim, missing, settings)}")
    return judge(claim, values.values(), seeded=None not in values)


def not_comparable(claim: Claim, settings: ClaimSettings) -> str | None:
    """Say how the configuration is not that of the published number, and which one is."""
    for cell in claim.cells:
        if difference := mismatch(cell, settings):
            return f"not comparable: {difference}; {_as_shipped(cell)}"
    return None


def not_wanted(claim: Claim, settings: ClaimSettings) -> str | None:
    """Say that the claim's experiment is no part of this run, and what makes it one."""
    for cell in claim.cells:
        source = f"corpus {cell.row['corpus']}" if cell.table == "corpus" else cell.table
        if change := settings.left_out.get(source):
            return f"{source} is left out; {change}, then run {settings.command} results/claims.csv"
    return None


def remedy(claim: Claim, missing: NotRun, settings: ClaimSettings) -> str:
    """Say which command makes a cell that is missing: what lacks it as it is, or as shipped."""
    cell = missing.cell or claim.cells[0]
    if not isinstance(missing, NotMade):  # its file is there, without it
        return _as_shipped(cell)
    return f"run {settings.command} results/{target_of(cell)}"


def _as_shipped(cell: Cell) -> str:
    return f"run {COMMAND} results/{target_of(cell)} with config.yaml as shipped"


def target_of(cell: Cell) -> str:
    """Return the file that has a cell, below the results folder."""
    if cell.table == "corpus":
        return f"corpus/{cell.row['corpus']}/{corpus_file(cell.column)}"
    return f"{cell.table}.csv"


def judged(judgement: Judgement) -> dict[str, str]:
    """Return a judgement as the cells of ``JUDGED``, numbers with the digits they deserve."""
    found = judgement.reproduced
    numbers = dict.fromkeys(JUDGED[:6], "")
    if isinstance(found, Estimate):
        several = judgement.one_more if found.seeds else (math.nan, math.nan)
        cells = (_digits(x) for x in (found.mean, found.low, found.high, *several))
        numbers = dict(zip(JUDGED, (*cells, str(found.seeds or "")), strict=False))
    elif found:
        numbers["reproduced"] = found
    return numbers | {
        "verdict": judgement.verdict,
        "seeds_to_decide": _seeds(judgement.seeds_to_decide),
        "reason": judgement.reason,
    }


def _seeds(needed: float | None) -> str:
    """Return how many seeds would decide: ``inf`` where no number does, nothing of the decided."""
    if needed is None:
        return ""
    return "inf" if math.isinf(needed) else str(int(needed))


def _digits(value: float) -> str:
    """Return whole numbers whole, others with six digits, and nothing for NaN."""
    if value != value:
        return ""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"
