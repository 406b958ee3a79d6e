"""Stage ``claims``: every published number and comparison, with ours and a verdict."""

import argparse
from collections import Counter
from pathlib import Path

import pandas as pd

from rungs.claims.quantities import Diverged, NotMade, NotRun, evaluate
from rungs.claims.results import Results, corpus_file
from rungs.claims.verdicts import Judgement, judge, judge_word
from rungs.published.load import sections
from rungs.published.quantity import Cell
from rungs.published.schema import Claim
from rungs.tables.comparable import mismatch
from rungs.tables.intervals import Estimate
from rungs.tables.settings import COMMAND, ClaimSettings, parse_settings
from rungs.tables.writing import write_csv

COLUMNS = [
    *("id", "chapter", "section", "statement", "kind", "published"),
    *("reproduced", "low", "high", "seeds", "verdict", "reason"),
]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--results", type=Path, required=True, help="folder; any part may lack")
    parser.add_argument("--settings", required=True, help="JSON of ClaimSettings")
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write one row per claim, in the chapters' order.

    Raises:
        UserError: the settings cannot be read, or a table is there and malformed.
    """
    settings = parse_settings(ClaimSettings, arguments.settings)
    table = claim_table(Results(arguments.results), settings)
    write_csv(table, arguments.output)
    counts = Counter(table["verdict"])
    return f"{len(table)} claims: " + ", ".join(f"{n} {v}" for v, n in counts.most_common())


def claim_table(results: Results, settings: ClaimSettings) -> pd.DataFrame:
    """Return every claim with ``COLUMNS``; numbers are text, with the digits they deserve."""
    rows = []
    for section in sections():
        for claim in section.claims:
            judgement = judge_claim(claim, results, settings)
            rows.append(
                {
                    "id": claim.id,
                    "chapter": section.chapter,
                    "section": section.section,
                    "statement": claim.statement,
                    "kind": claim.kind,
                    "published": "" if claim.published is None else str(claim.published),
                    **_reproduced(judgement),
                    "verdict": judgement.verdict,
                    "reason": judgement.reason,
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def judge_claim(claim: Claim, results: Results, settings: ClaimSettings) -> Judgement:
    """Judge a claim by the results, where they are of the setting it was published for."""
    if problem := not_comparable(claim, settings) or not_wanted(claim, settings):
        return Judgement("not run", problem)
    try:
        if isinstance(claim.published, str) and isinstance(claim.quantity, Cell):
            return judge_word(claim, results.word(claim.quantity))
        values = evaluate(claim.quantity, results.numbers)
    except Diverged as ended:
        return Judgement("not reproduced", str(ended))
    except NotRun as missing:
        return Judgement("not run", f"{missing}; {remedy(claim.cells[0], missing, settings)}")
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


def remedy(cell: Cell, missing: NotRun, settings: ClaimSettings) -> str:
    """Say which command makes a cell that is missing: what lacks it as it is, or as shipped."""
    if not isinstance(missing, NotMade):  # its file is there, without it
        return _as_shipped(cell)
    return f"run {settings.command} {_target(cell)}"


def _as_shipped(cell: Cell) -> str:
    return f"run {COMMAND} {_target(cell)} with config.yaml as shipped"


def _target(cell: Cell) -> str:
    if cell.table == "corpus":
        return f"results/corpus/{cell.row['corpus']}/{corpus_file(cell.column)}"
    return f"results/{cell.table}.csv"


def _reproduced(judgement: Judgement) -> dict[str, str]:
    found = judgement.reproduced
    if not isinstance(found, Estimate):
        return {"reproduced": found or "", "low": "", "high": "", "seeds": ""}
    return {
        "reproduced": _digits(found.mean),
        "low": _digits(found.low),
        "high": _digits(found.high),
        "seeds": str(found.seeds or ""),
    }


def _digits(value: float) -> str:
    """Return whole numbers whole, others with six digits, and nothing for NaN."""
    if value != value:
        return ""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"
