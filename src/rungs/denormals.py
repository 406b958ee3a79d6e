"""Numbers below float32's smallest normal one, which some processors compute far more slowly."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Let torch's arithmetic on the CPU read and write denormal numbers as zeros meanwhile.

    Scores that are not divided by the square root of a large head width give attention weights
    below 1.2e-38 in every sixteenth place, and an Intel Xeon takes three times as long for the run.
    What they add to a sum is below its rounding: the weights stay the same to the bit. Where the
    processor cannot do it, nothing happens.
    """
    import torch  # only for stages that have imported it

    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
