"""Runs a probe's stage as the command line does."""

from pathlib import Path
from types import ModuleType

from rungs.probes.measurement import Measurement, read_measurements
from tests.typed import typed


def run(stage: ModuleType, folder: Path, *words: object) -> list[Measurement]:
    """Run the stage with these words and an output; return what it wrote."""
    output = folder / "probe.json"
    typed(stage, [*map(str, words), "--output", str(output)])
    return read_measurements(output)


def find(measurements: list[Measurement], metric: str, **row: int | str) -> Measurement:
    """Return the measurement of a metric whose row has these values."""
    (found,) = (m for m in measurements if m.metric == metric and row.items() <= m.row.items())
    return found


def by_seed(measurements: list[Measurement], metric: str, **row: int | str) -> list[float]:
    """Return the numbers of a metric that is repeated over seeds."""
    numbers = find(measurements, metric, **row).by_seed
    assert numbers is not None
    return numbers
