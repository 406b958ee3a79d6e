"""A working folder as a running Snakemake leaves it."""

import json
import platform
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rungs.configuration.schema import Run
from rungs.records.events import EVENTS

START = datetime(2026, 3, 1, 12)
ONE_BLOCK = Run("shakespeare", "window_128", "one_block", 0)
NO_CONTEXT = ONE_BLOCK._replace(variant="no_context")
RUNS = [run._replace(seed=seed) for run in (ONE_BLOCK, NO_CONTEXT) for seed in (0, 1)]
NOBODY = 2**22 + 1
"""No process has this number."""

Event = tuple[float, str, dict[str, Any]]
"""Seconds after the start, what happened, and what is said of it."""


def wildcards(run: Run) -> dict[str, str]:
    return {key: str(value) for key, value in run._asdict().items()}


def began(host: str = "", process: int = NOBODY, configuration: str = "") -> Event:
    of_runs = [(rule, run) for run in RUNS for rule in ("train", "evaluate")]
    planned = [
        {"rule": "tokenize", "wildcards": {"corpus": "shakespeare"}},
        *({"rule": rule, "wildcards": wildcards(run)} for rule, run in of_runs),
        {"rule": "table", "wildcards": {"experiment": "ladder"}},
        {"rule": "all", "wildcards": {}},
    ]  # fmt: skip
    said = {
        "process": process, "host": host or platform.node(), "cores": 2,
        "configuration": configuration, "planned": planned,
    }  # fmt: skip
    return 0, "began", said


def started(seconds: float, number: int, rule: str, message: str, run: Run | None = None) -> Event:
    said = {"jobid": number, "rule_name": rule, "rule_msg": message}
    return seconds, "job_info", said | {"wildcards": wildcards(run) if run else {}}


def finished(seconds: float, number: int) -> Event:
    return seconds, "job_finished", {"job_id": number}


TRAINING = [
    started(5, 9, "tokenize", "Learning the tokenizer of shakespeare, encoding and splitting"),
    finished(15, 9),
    started(15, 1, "train", "Training one_block on shakespeare, window_128, seed 0", ONE_BLOCK),
    started(15, 2, "train", "Training no_context on shakespeare, window_128, seed 0", NO_CONTEXT),
]
FIRST_RUN_DONE = [
    finished(615, 2),
    started(615, 5, "evaluate", "Evaluating no_context on shakespeare, window_128, seed 0"),
]
FAILURE = [
    (620, "job_error",
     {"jobid": 5, "rule_name": "evaluate", "log": ["logs/evaluations/no_context.log"]}),
]  # fmt: skip
ALL_DONE = [
    event
    for number in range(20, 30)
    for event in (started(700, number, "table", ""), finished(701, number))
]
GOODBYE = [(720, "ended", {})]


def working_folder(folder: Path, *events: Event) -> Path:
    """Write the events of an invocation."""
    path = folder / EVENTS
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"event": name, "time": (START + timedelta(seconds=seconds)).timestamp(), **said}
        for seconds, name, said in events
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def training_log(folder: Path, *lines: str) -> Path:
    """Write what the training of the one-block model has logged so far."""
    path = folder / "logs/runs/shakespeare/window_128/one_block/seed0.log"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"12:05:00 {line}\n" for line in lines))
    return path
