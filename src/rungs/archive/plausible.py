"""Whether the parts of an archived run agree: nothing here can compute them again."""

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rungs.archive.archived import ArchivedRun
from rungs.errors import UserError
from rungs.model.architecture import Architecture
from rungs.planning.memory import parameters

LARGEST_LOSS = math.log(sys.float_info.max)
"""Nats per token; the perplexity of a larger one exceeds what a float can hold."""
DEVICES_APART = 0.01
"""Nats per token by which a loss of training and one of an evaluation may differ: one device may
have trained and another evaluated."""


def refuse_implausible(path: Path, archived: ArchivedRun) -> None:
    """Refuse a run that its own stages cannot have written so.

    Args:
        path: for the message.
        archived: the run.

    Raises:
        UserError: names the first value, and what it has to be.
    """
    try:
        problem = next(_problems(archived), None)
    except KeyError as error:
        problem = f"{error.args[0]} is missing"
    except (TypeError, ValueError):  # of pydantic as well
        problem = "a value is of another kind than its stage writes"
    if problem:
        raise UserError(f"{path}: is damaged or edited: {problem}; get it again, or delete it")


def _problems(archived: ArchivedRun) -> Iterator[str]:
    run, evaluation = archived.run, archived.evaluation
    steps = [entry["step"] for entry in archived.history]
    for name in ("train_sha256", "validation_sha256", "weights_sha256"):
        if not re.fullmatch("[0-9a-f]{64}", run[name]):
            yield f"run.{name} is not a SHA-256"
    if not isinstance(run["device"], str):
        yield f"run.device is {run['device']}, and not a name"
    counted = parameters(Architecture.model_validate(run["architecture"]), run["vocabulary"])
    for part, found in (("run", run), ("evaluation", evaluation)):
        if found["parameters"] != counted:
            yield f"{part}.parameters is {found['parameters']}; the architecture has {counted}"
    if evaluation["weights_sha256"] != run["weights_sha256"]:
        yield "evaluation.weights_sha256 is not run.weights_sha256"
    if "diverged_at_step" in evaluation:
        yield from _implausible_divergence(archived, steps)
        return
    yield from _implausible_scores(evaluation)
    if run.get("diverged_at_step") is not None:
        yield "run.diverged_at_step is a step, and evaluation has scores"
    if steps[-1:] != [run["budget"]["steps"]]:
        yield f"the history ends at step {max(steps, default=0)} of {run['budget']['steps']}"
    last = archived.history[-1]
    trained = str(run["budget"]["context_length"])
    scored = evaluation.get("validation", {}).get(trained, {}).get("loss", last["validation_loss"])
    if not math.isclose(scored, last["validation_loss"], rel_tol=0, abs_tol=DEVICES_APART):
        yield (
            f"evaluation.validation.{trained}.loss is {scored} and the history ends at "
            f"{last['validation_loss']}"
        )


def _implausible_divergence(archived: ArchivedRun, steps: list[int]) -> Iterator[str]:
    """Of a run that ended at a step without a loss, or whose evaluation finds none at its end."""
    last = archived.run["budget"]["steps"]
    step, found = archived.run.get("diverged_at_step"), archived.evaluation["diverged_at_step"]
    if found != (last if step is None else step):
        yield f"evaluation.diverged_at_step is {found}, and run.diverged_at_step is {step}"
    if not 1 <= found <= last:
        yield f"evaluation.diverged_at_step is {found} of {last} steps"
    if step is not None and steps and not 0 <= steps[-1] < step:
        yield f"the history ends at step {steps[-1]}, and the run diverged at {step}"
    for name in archived.evaluation.keys() & {"validation", "training", "metrics"}:
        yield f"evaluation.{name} is there beside evaluation.diverged_at_step"


def _implausible_scores(evaluation: dict[str, Any]) -> Iterator[str]:
    scores = {f"validation.{key}": score for key, score in evaluation.get("validation", {}).items()}
    scores |= {"training": evaluation["training"]} if "training" in evaluation else {}
    for where, score in scores.items():
        loss, perplexity = score["loss"], score["perplexity"]
        if not 0 <= loss <= LARGEST_LOSS:
            yield f"evaluation.{where}.loss is {loss}, and not from 0 to {LARGEST_LOSS:.1f}"
        elif not math.isclose(perplexity, math.exp(loss), rel_tol=1e-9):
            yield f"evaluation.{where}.perplexity is {perplexity}, not the exponential of its loss"
    for name in ("accuracy", "training_accuracy", "wrong_noun", "anything_else"):
        percent = evaluation.get("metrics", {}).get(name, 0)
        if not 0 <= percent <= 100:
            yield f"evaluation.metrics.{name} is {percent}; it is a percentage"
