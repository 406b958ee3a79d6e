"""Each question that the text leaves open: its answers side by side, and how claims fare."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from rungs.claims.readings import wins_and_losses
from rungs.config import Config
from rungs.configuration.readings import Reading
from rungs.report.catalogue import figures_of
from rungs.report.claim_axis import lines_axis
from rungs.report.judged import NOT_RUN, NUMBERS, ClaimView, line_of
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

DEFAULT = "default"


@dataclass(frozen=True)
class Answer:
    """One answer to a question, and how the claims fare under it.

    Attributes:
        standing: why this answer.
        fares: how many claims it wins and loses against the default, in words.
        files: tables and figures of its own experiments, below the results folder.
    """

    name: str
    answer: str
    standing: str
    fares: str
    files: list[str]


@dataclass(frozen=True)
class AskedClaim:
    """A claim under every answer.

    Attributes:
        picture: ours under each answer beside the published; nothing of what has no number.
        verdicts: by the name of the answer.
    """

    claim: ClaimView
    picture: Markup
    verdicts: dict[str, str]


@dataclass(frozen=True)
class Question:
    """What the text leaves open, and where it does."""

    question: str
    where: str
    answers: list[Answer]
    claims: list[AskedClaim]


def questions(config: Config, table_path: Path, claims: Iterable[ClaimView]) -> list[Question]:
    """Return the questions in the configured order, with the claims that were judged under them.

    Args:
        config: its readings of one question are the answers.
        table_path: ``readings.csv``.
        claims: as the default judges them.

    Raises:
        UserError: the table cannot be read.
    """
    columns = ("reading", "id", "default", "verdict", "reproduced", *NUMBERS)
    table = read_shown(table_path, columns, may_be_empty=True)
    by_id = {claim.id: claim for claim in claims}
    asked: dict[str, list[Reading]] = {}
    for reading in config.readings:
        asked.setdefault(reading.question, []).append(reading)
    return [_question(config, of, table, by_id) for of in asked.values()]


def _question(
    config: Config,
    readings: Sequence[Reading],
    table: pd.DataFrame,
    by_id: Mapping[str, ClaimView],
) -> Question:
    judged = table[table["verdict"] != NOT_RUN]
    rows = {r.name: judged[judged["reading"] == r.name] for r in readings}
    answers = [
        Answer(r.name, r.answer, r.standing, _fares(rows[r.name]), files_of(config, r))
        for r in readings
    ]
    ids = dict.fromkeys(claim for of in rows.values() for claim in of["id"] if claim in by_id)
    claims = [_asked(by_id[claim], rows) for claim in ids]
    return Question(readings[0].question, readings[0].where, answers, claims)


def files_of(config: Config, reading: Reading) -> list[str]:
    """Return the tables and figures of the experiments that a reading adds."""
    names = (reading.experiment(name) for name in config.experiments)
    found = []
    for name in (name for name in names if name in config.read_experiments):
        figures = (*figures_of(config, name), *figures_of(config, name, "learning-curves"))
        found += [f"{name}.csv", *(f"figures/{figure}.svg" for figure, _ in figures)]
    return found


def _fares(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "not run"
    wins, losses = wins_and_losses(rows)
    return f"of {counted(len(rows), 'claim')} it wins {wins} and loses {losses}"


def _asked(claim: ClaimView, rows: Mapping[str, pd.DataFrame]) -> AskedClaim:
    default = replace(claim.line, name=DEFAULT, points=())
    lines, verdicts = [default], {DEFAULT: claim.verdict}
    for name, of in rows.items():
        for row in of[of["id"] == claim.id].to_dict("records"):
            verdicts[name] = str(row["verdict"])
            lines.append(line_of(name, row))
    drawn = [line for line in lines if math.isfinite(line.mean)]
    has_number = math.isfinite(claim.published) and drawn and claim.kind != "check"
    return AskedClaim(
        claim, lines_axis(claim.published, drawn) if has_number else Markup(), verdicts
    )
