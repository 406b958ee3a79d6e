"""Stage ``table``: one experiment summarised over its seeds, in a table of one of five kinds."""

import operator
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd

from rungs.corpus.referents import ROLES
from rungs.errors import UserError
from rungs.files import read_json
from rungs.reading import reading
from rungs.tables.columns import ANSWERS, SCORES, SHARPNESS, WEIGHTS
from rungs.tables.observations import run_address
from rungs.tables.samples import DIVERGED, Keys, Samples, read_observations, samples
from rungs.tables.settings import ExperimentSettings, Row
from rungs.tables.summary import INTERVAL, PUBLISHED, Comparison, Table, summarise
from rungs.tables.writing import write_csv

Kind = Literal["scores", "steps", "answers", "attention", "positions"]
"""With a row of a variant for each context length, for each step, for all of its sentences, for
each block and adjective, or for each position of a window."""


def run(
    *,
    kind: Kind,
    measured: Annotated[
        Sequence[Path], "the experiment's observations; its evaluations for a table of positions"
    ],
    experiment: Annotated[str, "its name"],
    settings: ExperimentSettings,
    output: Annotated[Path, "CSV"],
) -> str:
    """Write the table.

    Raises:
        UserError: what was measured, or the settings, cannot be read.
    """
    if kind == "positions":
        found = read_losses(measured, settings.context_lengths[0])
    else:
        if len(measured) != 1:
            raise UserError(f"--measured: {len(measured)} files; give one, the observations")
        found = samples(read_observations(measured[0]), measured[0])
    table = experiment_table(found, settings, experiment, kind)
    write_csv(table, output, float_format="%.6g")
    return f"{output}: {len(table)} rows"


def experiment_table(
    measured: Samples, settings: ExperimentSettings, experiment: str, kind: Kind
) -> pd.DataFrame:
    """Return a table of an experiment; losses are in nats per token, answers in percent."""
    lengths = settings.context_lengths
    match kind:
        case "scores":
            observed = any((r.budget or settings.budget).observe_attention for r in settings.rows)
            metrics = (settings.metric, *SCORES, *(SHARPNESS if observed else ()))
            table = Table(
                keys=lambda _: ({"context_length": length} for length in lengths),
                metrics=list(dict.fromkeys(metrics)),
                before=["context_length"],
                after=["parameters"],
                comparison=Comparison("improvement", operator.sub, PUBLISHED),
            )
        case "steps":
            table = Table(
                keys=lambda _: ({"step": step} for step in settings.steps),
                metrics=["validation_loss"],
                before=["step"],
                comparison=Comparison("ratio", lambda reference, own: own / reference),
            )
        case "positions":
            table = Table(
                keys=lambda _: ({"position": n} for n in range(1, lengths[0] + 1)),
                metrics=["loss"],
                before=["position"],
                suffixes=INTERVAL,
                comparison=Comparison("improvement", operator.sub),
            )
        case "answers":
            table = Table(
                keys=lambda _: [{}],
                metrics=ANSWERS,
                before=["version"],
                after=["parameters", "chance"],
            )
        case "attention":
            table = Table(
                keys=_blocks_and_adjectives,
                metrics=WEIGHTS,
                before=["version"],
                after=["block", "adjective", "role"],
                suffixes=INTERVAL,
            )
    return summarise(measured, table, settings, experiment)


def _blocks_and_adjectives(row: Row) -> Iterable[Keys]:
    depth = row.architecture.depth if row.architecture.mixer == "attention" else 0
    for block, adjective in product(range(1, depth + 1), ROLES):
        yield {"block": block, "adjective": adjective}


def read_losses(paths: Sequence[Path], context_length: int) -> Samples:
    """Return the loss at each position, counted from 1: after so many tokens.

    Raises:
        UserError: an evaluation is missing, or not of this context length.
    """
    found = Samples()
    for path in paths:
        _, _, variant, seed = run_address(path)
        evaluation = read_json(path)
        with reading(path):
            if DIVERGED in evaluation:
                found.add({"variant": variant}, DIVERGED, seed, evaluation[DIVERGED])
                continue
            losses = evaluation["validation"][str(context_length)]["loss_by_position"]
            for position, loss in enumerate(losses, start=1):
                at: Keys = {"variant": variant, "position": position}
                found.add(at, "loss", seed, float(loss))
    return found
