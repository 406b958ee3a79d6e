"""Stage ``observations``: one tidy row per run, context length and metric."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import BaseModel, Field, ValidationError

from rungs.errors import UserError
from rungs.files import read_json
from rungs.tables.histories import read_history
from rungs.tables.samples import OBSERVATION_COLUMNS, OBSERVATION_KEY, write_csv


class _Split(BaseModel):
    loss: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    perplexity: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Training(_Split):
    context_length: int


class _Evaluation(BaseModel):
    """What is read of an evaluation; what else it holds is for others."""

    parameters: int
    validation: dict[int, _Split]
    training: _Training


class _Answers(BaseModel):
    """What is read of the evaluation of a run that answers."""

    parameters: int
    metrics: dict[str, Annotated[float, Field(allow_inf_nan=False)]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--evaluations",
        type=Path,
        nargs="+",
        required=True,
        help="files at .../{corpus}/{budget}/{variant}/seed{seed}.json, in any order",
    )
    parser.add_argument(
        "--histories",
        type=Path,
        nargs="*",
        default=[],
        help="files at .../{corpus}/{budget}/{variant}/seed{seed}/history.jsonl, of runs whose "
        "attention was observed",
    )
    parser.add_argument("--output", type=Path, required=True, help="CSV")


def run(arguments: argparse.Namespace) -> str:
    """Write the observations, sorted, so that the order of the evaluations never shows.

    Raises:
        UserError: an evaluation is missing, malformed, given twice, or not at its address.
    """
    table = collect(arguments.evaluations, arguments.histories)
    write_csv(table, arguments.output)
    return f"{len(table)} observations of {len(arguments.evaluations)} runs"


def collect(paths: Sequence[Path], histories: Sequence[Path] = ()) -> pd.DataFrame:
    """Return the observations of evaluations and histories, with ``OBSERVATION_COLUMNS``."""
    addresses: dict[tuple[str, str, str, int], Path] = {}
    rows = []
    for path in paths:
        address = run_address(path)
        if address in addresses:
            raise UserError(f"{path}: is the same run as {addresses[address]}; give it once")
        addresses[address] = path
        rows += [(*address, *measurement) for measurement in _measurements(path)]
    for path in histories:
        address = run_address(path.parent.with_suffix(".json"))
        length = _Evaluation.model_validate(read_json(addresses[address])).training.context_length
        rows += [(*address, length, metric, value) for metric, value in _sharpness(path)]
    table = pd.DataFrame(rows, columns=OBSERVATION_COLUMNS)
    table = table.astype({"context_length": "Int64", "value": float})
    return table.sort_values(OBSERVATION_KEY, ignore_index=True, na_position="first")


def run_address(path: Path) -> tuple[str, str, str, int]:
    """Return corpus, budget, variant and seed, which are the last parts of the path.

    Raises:
        UserError: the path is not the address of an evaluation.
    """
    seed = path.stem.removeprefix("seed")
    if len(path.parts) < 4 or not seed.isdecimal() or path.stem == seed:
        raise UserError(
            f"{path}: is not at the address of an evaluation, "
            "{corpus}/{budget}/{variant}/seed{seed}.json"
        )
    corpus, budget, variant = path.parts[-4:-1]
    return corpus, budget, variant, int(seed)


def _measurements(path: Path) -> Iterator[tuple[int | None, str, float]]:
    """Yield context length, metric and value."""
    try:
        content = read_json(path)
        answers = isinstance(content, dict) and "metrics" in content
        evaluation = (_Answers if answers else _Evaluation).model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {where}: {first['msg']}; delete it and run again") from error
    yield None, "parameters", evaluation.parameters
    if isinstance(evaluation, _Answers):
        for metric, value in evaluation.metrics.items():
            yield None, metric, value
        return
    for length, split in evaluation.validation.items():
        yield length, "loss", split.loss
        yield length, "perplexity", split.perplexity
    training = evaluation.training
    yield training.context_length, "training_perplexity", training.perplexity


def _sharpness(path: Path) -> Iterator[tuple[str, float]]:
    """Yield metric and value of how sharply the run attends, before and after its training."""
    observed = read_history(path).dropna(subset=["score_std"])
    first, last = observed.iloc[0], observed.iloc[-1]
    yield "score_std_at_start", first["score_std"]
    yield "score_std", last["score_std"]
    yield "attention_entropy", last["attention_entropy"]
    yield "hard_share", last["hard_share"]
