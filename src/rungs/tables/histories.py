"""Read what a run wrote down while it trained."""

import json
import statistics
from pathlib import Path
from typing import Any

import pandas as pd

from rungs.reading import reading

LOSSES = ("step", "training_loss", "validation_loss")
SHARPNESS = {
    "score_std": "score_std",
    "attention_entropy": "entropy",
    "hard_share": "saturated_share",
}
"""Columns, and what a history calls them."""


def read_history(path: Path) -> pd.DataFrame:
    """Return one row per entry of a ``history.jsonl``; a run that diverged early has none.

    Returns:
        Columns step, training_loss, validation_loss (nats per token), and score_std,
        attention_entropy (nats), hard_share (of rows), each the mean over the model's blocks;
        a field is missing where the run did not record it.

    Raises:
        UserError: the file is missing or no history.
    """
    with reading(path):
        lines = path.read_text("utf-8").splitlines()
        return pd.DataFrame(
            [_row(json.loads(line)) for line in lines], columns=[*LOSSES, *SHARPNESS]
        ).astype({"step": int, "training_loss": float, "validation_loss": float})


def _row(entry: dict[str, Any]) -> dict[str, Any]:
    blocks = entry.get("attention", [])
    sharpness = {
        column: statistics.fmean(block[name] for block in blocks) if blocks else None
        for column, name in SHARPNESS.items()
    }
    losses = {key: entry[key] for key in LOSSES}
    return losses | sharpness
