"""What a probe measures, and the file it writes: the same form for every probe."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, TypeAdapter, model_validator

from rungs.files import read_json, write_json
from rungs.reading import reading
from rungs.settings import Name, Settings

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Measurement(Settings):
    """One metric of one row of the probe's table: repeated over seeds, or exact."""

    row: dict[str, int | str]
    """Columns and values that name the row."""
    metric: Name
    by_seed: list[Finite] | None = None
    """One number a draw: for each of the seeds 0, 1, ..., or for each of several rows."""
    exact: Finite | str | None = None
    """What no random number enters, in float64 or in words."""

    @property
    def values(self) -> list[float | str]:
        """The numbers of all seeds, or the exact one."""
        return [*self.by_seed] if self.by_seed is not None else [self._exact()]

    def _exact(self) -> float | str:
        assert self.exact is not None
        return self.exact

    @model_validator(mode="after")
    def _repeated_or_exact(self) -> Self:
        if (self.exact is None) != bool(self.by_seed):
            raise ValueError("a measurement is repeated over seeds or exact")
        return self


Observed = tuple[dict[str, int | str], str, float]
"""Of one seed: a row, a metric and a number."""

_Measurements = TypeAdapter(list[Measurement])


def write_measurements(path: Path, measurements: Sequence[Measurement]) -> None:
    """Write a probe's result as JSON."""
    write_json(path, [m.model_dump(exclude_none=True) for m in measurements])


def read_measurements(path: Path) -> list[Measurement]:
    """Return a probe's result.

    Raises:
        UserError: the file is missing or is not such a result.
    """
    with reading(path):
        return _Measurements.validate_python(read_json(path))


def over_seeds(repetitions: Sequence[Sequence[Observed]]) -> list[Measurement]:
    """Collect repetitions into measurements, in the order of the first one.

    Args:
        repetitions: what each seed observed; the same rows and metrics in the same order.
    """
    return [
        Measurement(row=same[0][0], metric=same[0][1], by_seed=[number for _, _, number in same])
        for same in zip(*repetitions, strict=True)
    ]
