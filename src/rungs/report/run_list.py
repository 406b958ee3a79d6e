"""Every finished run as the page lists it: its curve, its cost, what made it, what rests on it."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from markupsafe import Markup

from rungs.archive.archived import address
from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.reading import reading
from rungs.report.hours import time_taken
from rungs.report.judged import ClaimView
from rungs.tables.histories import read_history
from rungs.tables.numbers import rounded

WIDTH, HEIGHT = 96, 22


class RunView(NamedTuple):
    """One run, as text and a curve."""

    run: Run
    label: str
    curve: Markup
    """Its validation loss against the step; nothing where it has no history here."""
    loss: str
    """The last validation loss, nats per token, or where it diverged."""
    apart: float | None
    """How far it is from the median over the seeds, in percent; None of fewer than three."""
    seconds: float | None
    cost: str
    """The processor time over all starts, and the same in words."""
    device: str
    code: str
    archived: bool
    shown: list[str]
    """The experiments that have it, with its variant, as claims name what they rest on."""
    claims: list[ClaimView]
    """Those that rest on it."""


def run_list(
    config: Config,
    results: Path,
    descriptions: Mapping[Run, dict[str, Any]],
    claims: Sequence[ClaimView],
) -> list[RunView]:
    """Return the finished runs, in the order of their names.

    Args:
        config: the configuration.
        results: the folder of results.
        descriptions: the ``run.json`` of every finished run.
        claims: the judged claims.

    Raises:
        UserError: a history cannot be read.
    """
    shown: dict[Run, list[str]] = {}
    for name in config.experiments:
        for run in config.runs(name):
            shown.setdefault(run, []).append(f"{name}: {run.variant}")
    curves = {
        run: _history(results / "runs" / address(run) / "history.jsonl") for run in descriptions
    }
    apart = _apart({run: losses[-1] for run, (_, losses) in curves.items() if losses})
    return [
        RunView(
            run,
            config.label(run.variant),
            sparkline(*curves[run]),
            _loss(description, curves[run][1]),
            apart.get(run),
            *_cost(results / "runs" / address(run) / "run.json", description),
            str(description.get("device", "")),
            str(description.get("code", ""))[:8],
            not (results / "runs" / address(run) / "model.safetensors").is_file(),
            shown[run],
            [claim for claim in claims if _rests(claim, shown[run])],
        )
        for run, description in descriptions.items()
    ]


def _rests(claim: ClaimView, shown: Sequence[str]) -> bool:
    return claim.evidence is not None and not set(shown).isdisjoint(claim.evidence.runs)


def _apart(losses: Mapping[Run, float]) -> dict[Run, float]:
    """Return how far each loss is from the median over its seeds, in percent of the median."""
    of_seeds: dict[Run, list[float]] = {}
    for run, loss in losses.items():
        of_seeds.setdefault(run._replace(seed=0), []).append(loss)
    medians = {run: median(of) for run, of in of_seeds.items() if len(of) > 2}
    return {
        run: 100 * (loss / medians[row] - 1)
        for run, loss in losses.items()
        if medians.get(row := run._replace(seed=0))
    }


def _loss(description: Mapping[str, Any], losses: Sequence[float]) -> str:
    if ended := description.get("diverged_at_step"):
        return f"diverged at step {ended}"
    return rounded(losses[-1]) if losses else ""


def _cost(path: Path, description: Mapping[str, Any]) -> tuple[float | None, str]:
    if "core_seconds" not in description:
        return None, ""
    with reading(path):
        seconds = float(description["core_seconds"])
    return seconds, time_taken(seconds)


def _history(path: Path) -> tuple[list[float], list[float]]:
    """Return the steps and validation losses; none where they are not here, as in a bundle."""
    if not path.is_file():
        return [], []
    history = read_history(path)
    return history["step"].tolist(), history["validation_loss"].tolist()


def sparkline(steps: Sequence[float], losses: Sequence[float]) -> Markup:
    """Return a small curve, the largest loss on top; nothing of fewer than two points."""
    known = [(x, y) for x, y in zip(steps, losses, strict=True) if math.isfinite(y)]
    if len(known) < 2:
        return Markup()
    least, most, last = min(y for _, y in known), max(y for _, y in known), known[-1][0]
    across, down = (WIDTH - 4) / last, (HEIGHT - 4) / (most - least or 1)
    points = " ".join(f"{2 + across * x:.1f},{2 + down * (most - y):.1f}" for x, y in known)
    words = f"validation loss from {rounded(known[0][1])} to {rounded(known[-1][1])}"
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title>'
        '<polyline points="{}"/></svg>'
    ).format(WIDTH, HEIGHT, words, words, points)
