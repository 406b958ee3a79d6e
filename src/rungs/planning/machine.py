"""What is known of a machine: measured seconds per unit of work, stored as JSON."""

from pathlib import Path

from pydantic import Field

from rungs.files import read_json
from rungs.planning.work import Work
from rungs.reading import reading
from rungs.settings import Count, NonNegative, Positive, Settings


class Rates(Settings):
    """Seconds per unit of each quantity of `Work`, in one process with one thread."""

    linear: NonNegative
    attention: NonNegative
    elements: NonNegative
    logits: NonNegative
    calls: NonNegative
    passes: NonNegative

    def seconds(self, work: Work) -> float:
        """Return how long the work takes."""
        return sum(getattr(self, name) * quantity for name, quantity in work._asdict().items())


class KernelRates(Settings):
    """Seconds of the attention layer of the kernel sweep, forward, one thread."""

    linear: NonNegative
    """Per operation of the projections."""
    naive: NonNegative
    """Per score of the kernel that stores its scores."""
    tiled: NonNegative
    """Per score of a kernel that does not."""
    prediction: NonNegative
    """To predict the peak before anything is allocated."""


class StartUp(Settings):
    """Seconds from the start of a process to its first line of work, by what it imports."""

    plain: NonNegative
    tables: NonNegative
    figures: NonNegative
    torch: NonNegative


class Calibration(Settings):
    """A measured machine."""

    machine: str
    """Processor and torch version, in words."""
    matmul_gflops: Positive
    """A 1024-cubed float32 product, one thread: the peak to compare with."""
    bfloat16: Positive
    """How much longer a product in bfloat16 takes than one in float32; below 1 where the processor
    has instructions for it."""
    training: Rates
    scoring: Rates
    kernel: KernelRates
    start_up: StartUp
    processes: Count = 1
    """As many at once as were measured for `crowding`."""
    crowding: Positive = Field(default=1.0)
    """How much longer everything takes where so many processes run at once."""
    lost: NonNegative = 0.0
    """The share of the time in which these processes had no core, because others had it."""


def load(path: Path) -> Calibration:
    """Return a calibration that an earlier plan stored.

    Raises:
        UserError: the file is missing or is no calibration.
    """
    with reading(path, f"delete it, and python -m rungs plan --calibration {path} makes a new one"):
        return Calibration.model_validate(read_json(path))
