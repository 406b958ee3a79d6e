"""Stage ``observations``: one tidy row per run, context length and metric."""

import math
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import pandas as pd
from pydantic import BaseModel, Field

from rungs.corpus.referents import ROLES
from rungs.errors import UserError
from rungs.files import read_json
from rungs.reading import reading
from rungs.tables.columns import WORDS
from rungs.tables.histories import read_history
from rungs.tables.samples import (
    DIVERGED,
    METRIC_KEYS,
    OBSERVATION_COLUMNS,
    OBSERVATION_KEY,
    Keys,
)
from rungs.tables.writing import write_csv

M = TypeVar("M", bound=BaseModel)
Measured = tuple[Keys, str, float]
"""Of one run: keys, metric and number."""

_OF_BLOCK = re.compile(rf"(example_)?block_(\d+)_(?:({'|'.join(ROLES)})_)?(\w+)")


class _Split(BaseModel):
    loss: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    perplexity: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Validation(_Split):
    tokens: Annotated[int, Field(gt=0)] = 1
    loss_by_position: list[Annotated[float, Field(ge=0, allow_inf_nan=False)]] = []


class _Training(_Split):
    context_length: int


class _Quarters(BaseModel):
    context_length: int
    losses: Annotated[list[float], Field(min_length=4, max_length=4)]


class _Evaluation(BaseModel):
    """What is read of an evaluation; what else it holds is for others."""

    parameters: int
    validation: dict[int, _Validation]
    sampled: dict[int, _Split] = {}
    """Missing of runs that were archived before it was measured."""
    validation_quarters: _Quarters
    training: _Training


class _Measures(BaseModel):
    """What is read of the measures of a corpus's text."""

    scored_tokens: Annotated[int, Field(gt=0)]
    scored_bytes: Annotated[int, Field(gt=0)]


class _Sample(BaseModel):
    """What is read of a run's continuation; there is none of a run that diverged."""

    distinct_tokens: Annotated[int, Field(ge=0)] | None


class _Answers(BaseModel):
    """What is read of the evaluation of a run that answers."""

    parameters: int
    metrics: dict[str, Annotated[float, Field(allow_inf_nan=False)]]


class _Diverged(BaseModel):
    """What is read of the evaluation of a run that diverged."""

    parameters: int
    diverged_at_step: Annotated[int, Field(gt=0)]


def run(
    *,
    evaluations: Annotated[
        Sequence[Path], "files at .../{corpus}/{budget}/{variant}/seed{seed}.json, in any order"
    ],
    histories: Annotated[
        Sequence[Path],
        "files at .../{corpus}/{budget}/{variant}/seed{seed}/history.jsonl, of runs whose "
        "attention was observed, or whose losses at --steps are wanted",
    ] = (),
    steps: Annotated[Sequence[int], "whose validation loss is observed"] = (),
    measures: Annotated[
        Sequence[Path], "files at .../{corpus}/measures.json, where bits per byte are observed"
    ] = (),
    samples: Annotated[Sequence[Path], "continuations at .../{variant}/seed{seed}.json"] = (),
    output: Annotated[Path, "CSV"],
) -> str:
    """Write the observations, sorted, so that the order of the evaluations never shows.

    Raises:
        UserError: an evaluation is missing, malformed, given twice, or not at its address.
    """
    table = collect(evaluations, histories, steps=steps, measures=measures, samples=samples)
    write_csv(table, output)
    return f"{len(table)} observations of {len(evaluations)} runs"


def collect(
    paths: Sequence[Path],
    histories: Sequence[Path] = (),
    *,
    steps: Sequence[int] = (),
    measures: Sequence[Path] = (),
    samples: Sequence[Path] = (),
) -> pd.DataFrame:
    """Return the observations of one experiment's files, with ``OBSERVATION_COLUMNS``."""
    texts = {path.parent.name: _read(path, _Measures) for path in measures}
    addresses: dict[tuple[str, str, str, int], Path] = {}
    diverged = set()
    found: list[tuple[tuple[str, str, str, int], Measured]] = []
    for path in paths:
        address = run_address(path)
        if address in addresses:
            raise UserError(f"{path}: is the same run as {addresses[address]}; give it once")
        addresses[address] = path
        measured = list(_measurements(path))
        found += [(address, one) for one in measured]
        if any(metric == DIVERGED for _, metric, _ in measured):
            diverged.add(address)
        elif texts:
            found += [(address, one) for one in _by_byte(path, texts[address[0]])]
    for path in histories:
        address = run_address(Path(f"{path.parent}.json"))
        if address in diverged:
            continue
        length = _read(addresses[address], _Evaluation).training.context_length
        of_run = _losses(path, steps) if steps else _sharpness(path, length)
        found += [(address, one) for one in of_run]
    runs = {(variant, seed): (corpus, budget) for corpus, budget, variant, seed in addresses}
    for path in samples:
        with reading(path):
            variant, seed = path.parts[-2], int(path.stem.removeprefix("seed"))
        different = _read(path, _Sample).distinct_tokens
        if different is not None:
            address = (*runs[variant, seed], variant, seed)
            found.append((address, ({}, "distinct_tokens", different)))
    rows = [
        (*address, *(keys.get(key) for key in METRIC_KEYS), metric, value)
        for address, (keys, metric, value) in found
    ]
    table = pd.DataFrame(rows, columns=OBSERVATION_COLUMNS)
    whole = dict.fromkeys((key for key in METRIC_KEYS if key not in WORDS), "Int64")
    table = table.astype({**whole, "value": float})
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


def _measurements(path: Path) -> Iterator[Measured]:
    content = read_json(path)
    keys = content.keys() if isinstance(content, dict) else ()
    if DIVERGED in keys:
        ended = _read(path, _Diverged)
        yield {}, "parameters", ended.parameters
        yield {}, DIVERGED, ended.diverged_at_step
        return
    evaluation = _read(path, _Answers) if "metrics" in keys else _read(path, _Evaluation)
    yield {}, "parameters", evaluation.parameters
    if isinstance(evaluation, _Answers):
        for name, value in evaluation.metrics.items():
            yield *_unpacked(name), value
        return
    for length, split in evaluation.validation.items():
        yield {"context_length": length}, "loss", split.loss
        yield {"context_length": length}, "perplexity", split.perplexity
    for length, windows in evaluation.sampled.items():
        yield {"context_length": length}, "sampled_perplexity", windows.perplexity
    quarters = evaluation.validation_quarters
    for number, loss in enumerate(quarters.losses, start=1):
        at = {"context_length": quarters.context_length}
        yield at, f"perplexity_quarter_{number}", math.exp(loss)
    training = evaluation.training
    yield {"context_length": training.context_length}, "training_perplexity", training.perplexity


def _unpacked(name: str) -> tuple[Keys, str]:
    """Return keys and metric of what an evaluation calls ``block_2_tired_adjective``.

    Archived evaluations have these names, hence they are taken apart here and not there.
    """
    found = _OF_BLOCK.fullmatch(name)
    if found is None:
        return {}, name
    example, block, adjective, what = found.groups(default="")
    if not adjective:
        return {"block": int(block)}, f"{example}{what}"
    return {"block": int(block), "adjective": adjective}, f"{example}{what}_weight"


def _by_byte(path: Path, text: _Measures) -> Iterator[Measured]:
    """Yield what is said of a byte of the text, and of the two halves of a window.

    A text costs the same whatever it is cut into: its loss in bits, over its bytes.
    """
    for length, split in _read(path, _Evaluation).validation.items():
        if split.tokens != text.scored_tokens:
            raise UserError(
                f"{path}: scored {split.tokens:,} tokens, and the text that was measured has "
                f"{text.scored_tokens:,}; delete both and run again"
            )
        at = {"context_length": length}
        bits = split.loss * split.tokens / math.log(2)
        yield at, "bits_per_byte", bits / text.scored_bytes
        middle = len(split.loss_by_position) // 2
        yield at, "loss_first_half", statistics.fmean(split.loss_by_position[:middle])
        yield at, "loss_second_half", statistics.fmean(split.loss_by_position[middle:])


def _losses(path: Path, steps: Sequence[int]) -> Iterator[Measured]:
    """Yield the validation loss at each of the steps, at the training context length."""
    history = read_history(path).set_index("step")
    for step in steps:
        if step not in history.index:
            raise UserError(f"{path}: has no entry at step {step}; train the run again")
        yield {"step": step}, "validation_loss", float(history["validation_loss"][step])


def _sharpness(path: Path, length: int) -> Iterator[Measured]:
    """Yield how sharply the run attends, before and after its training."""
    observed = read_history(path).dropna(subset=["score_std"])
    first, last = observed.iloc[0], observed.iloc[-1]
    at = {"context_length": length}
    yield at, "score_std_at_start", first["score_std"]
    yield at, "score_std", last["score_std"]
    yield at, "attention_entropy", last["attention_entropy"]
    yield at, "hard_share", last["hard_share"]


def _read(path: Path, model: type[M]) -> M:
    with reading(path):
        return model.model_validate(read_json(path))
