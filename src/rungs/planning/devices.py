"""A GPU that is not here, from what its maker documents."""

from typing import NamedTuple

from rungs.model.architecture import Architecture
from rungs.planning import flops, work

LAUNCH_SECONDS = 8e-6
"""For one kernel of a process that queues them one by one from Python."""
UTILISATION = 0.5
"""Of the documented rate, reached by products of this size."""
TOKENS_PER_LOSS_CHUNK = 512
"""The loss is computed chunk by chunk, each with a dozen kernels."""


class Gpu(NamedTuple):
    """Documented float32 rate outside tensor cores; by default an H100 SXM's (NVIDIA's sheet)."""

    tflops: float = 67.0

    def step_seconds(self, a: Architecture, vocabulary: int, windows: int, tokens: int) -> float:
        """Return the seconds of a training step: the slower of computing and of launching."""
        operations = flops.training_step(a, vocabulary, windows, tokens).total
        calls = work.training_step(a, vocabulary, windows, tokens).calls
        # A forward call has two kernels backward, and AdamW a few for all parameters.
        launches = 3 * calls + 10 + 12 * windows * tokens / TOKENS_PER_LOSS_CHUNK
        return max(self.busy_seconds(operations), launches * LAUNCH_SECONDS)

    def busy_seconds(self, operations: float) -> float:
        """Return how long the device itself computes."""
        return operations / (self.tflops * 1e12 * UTILISATION)
