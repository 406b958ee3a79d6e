"""One process trains a run: it waits for whoever does, and does not repeat what was done."""

import logging
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rungs.records import finished
from rungs.records.lease import held

logger = logging.getLogger(__name__)

LEASES = Path(".rungs/leases")


def train_alone(train: Callable[[], str], arguments: Mapping[str, Any]) -> str:
    """Train a run, or take over what another process has trained of it.

    Only in a folder of Snakemake's. Whoever trains the run already is asked to stop as a SIGTERM
    does: it writes its checkpoint, and this process continues from there.

    Args:
        train: the stage, called with them.
        arguments: of the stage `train`, by name.

    Returns:
        The stage's summary.
    """
    output: Path = arguments["output"]
    if not Path(".snakemake").is_dir() or output.is_absolute():
        return train()
    lease = LEASES / f"{output}.json"
    with held(lease, stop=_stop_training, say=_say):
        if summary := finished.take(arguments):
            return summary
        summary = train()
        finished.keep(output)
        return summary


def _stop_training() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _say(sentence: str) -> None:
    logger.info("%s", sentence)
    print(sentence, flush=True)
