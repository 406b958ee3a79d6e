"""Stage ``probe-masking``: what a mask is made of, minus infinity or a large number instead.

A forbidden token must get no weight, whatever the scores of the allowed ones. Each stand-in is
cast to float16, and then beaten against a single allowed token whose score is low: three
standard deviations below zero, once of a fresh divided head (1) and once of the undivided head
that the chapter trained (5,147).
"""

import math
from pathlib import Path

import torch

from rungs.device import select_device
from rungs.probes.measurement import Measurement, write_measurements

STAND_INS = {"minus infinity": -math.inf, "-1e9": -1e9, "-1e4": -1e4}
ALLOWED_SCORES = {"weight_at_initialisation": -3.0, "weight_after_collapse": -3.0 * 5_147}


def run(*, output: Path) -> str:
    """Write what becomes of each stand-in, and the weight a forbidden token gets."""
    select_device("cpu")
    found = []
    for name, value in STAND_INS.items():
        row: dict[str, int | str] = {"stand_in": name}
        found.append(Measurement(row=row, metric="in_float16", exact=in_float16(value)))
        found += [
            Measurement(row=row, metric=metric, exact=forbidden_weight(value, score))
            for metric, score in ALLOWED_SCORES.items()
        ]
    write_measurements(output, found)
    return f"{output}: {len(STAND_INS)} stand-ins"


def in_float16(value: float) -> str:
    """Return in words what a float64 number becomes in float16."""
    cast = torch.tensor(value, dtype=torch.float64).half().item()
    return "minus infinity" if cast == -math.inf else f"{cast:g}"


def forbidden_weight(stand_in: float, allowed_score: float) -> float:
    """Return the softmax weight of a forbidden token beside one allowed token."""
    scores = torch.tensor([allowed_score, stand_in], dtype=torch.float64)
    return scores.softmax(-1)[1].item()
