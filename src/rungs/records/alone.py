"""One process trains a run: it waits for whoever does, and does not repeat what was done."""

import argparse
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path

from rungs.records import finished
from rungs.records.lease import held

logger = logging.getLogger(__name__)

LEASES = Path(".rungs/leases")


def train_alone(train: Callable[[argparse.Namespace], str], arguments: argparse.Namespace) -> str:
    """Train a run, or take over what another process has trained of it.

    Only in a folder of Snakemake's. Whoever trains the run already is asked to stop as a SIGTERM
    does: it writes its checkpoint, and this process continues from there.

    Args:
        train: the stage.
        arguments: its parsed command.

    Returns:
        The stage's summary.
    """
    if not Path(".snakemake").is_dir() or arguments.output.is_absolute():
        return train(arguments)
    lease = LEASES / f"{arguments.output}.json"
    with held(lease, stop=_stop_training, say=_say):
        if summary := finished.take(arguments):
            return summary
        summary = train(arguments)
        finished.keep(arguments)
        return summary


def _stop_training() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _say(sentence: str) -> None:
    logger.info("%s", sentence)
    print(sentence, flush=True)
