"""Peak memory counted byte by byte from the tensors that are alive, not sampled from a device.

The count is the same on every machine: it needs no allocator of a GPU, and with fake tensors it
needs no memory at all, so it also gives the sizes that do not fit.

What the count cannot see is memory that an operator takes and returns within itself. The tiled
kernel on a CPU holds one tile of scores that way (0.56 MiB a thread from 768 tokens on). At the
published width it does not decide the peak: it is returned before the output projection
allocates an activation, which is larger. A test replays torch's own record of the CPU allocator
and finds the same peak to the byte, for both kernels. Private workspaces of matrix libraries lie
outside torch's tensors; the measurement names the one of the published device as its own term.
"""

from collections.abc import Iterable, MutableMapping
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from rungs.kernels.attention import AttentionLayer
from rungs.kernels.available import build_layer

# The CUDA caching allocator hands out multiples of this many bytes.
BLOCK_BYTES = 512


class LiveStorages(TorchDispatchMode):
    """Adds up the storages alive after every operator that runs inside the ``with`` block.

    Views share their storage and count once; a storage leaves the sum when nothing refers to it.

    Attributes:
        peak_bytes: the largest sum so far, each storage rounded up to the allocator's block.
    """

    def __init__(self, *already_alive: Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._bytes_of: MutableMapping[torch.UntypedStorage, int] = WeakIdKeyDictionary()
        self.peak_bytes = 0
        self._record(already_alive)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run the operator, then count."""
        result = func(*args, **(kwargs or {}))
        self._record(tree_leaves(result))
        return result

    def _record(self, values: Iterable[Any]) -> None:
        for value in values:
            if isinstance(value, Tensor):
                storage = value.untyped_storage()
                blocks = -(-storage.nbytes() // BLOCK_BYTES)
                self._bytes_of[storage] = blocks * BLOCK_BYTES
        self.peak_bytes = max(self.peak_bytes, sum(self._bytes_of.values()))


def count_peak_bytes(layer: AttentionLayer, activation: Tensor) -> int:
    """Return the peak bytes of one forward pass: weights, mask, input and everything it makes."""
    alive = (activation, *layer.parameters(), *layer.buffers())
    storages = LiveStorages(*alive)
    with torch.no_grad(), storages:
        layer(activation)
    return storages.peak_bytes


def predict_peak_bytes(
    kernel: str, tokens: int, width: int, heads: int, device: torch.device
) -> int:
    """Return what :func:`count_peak_bytes` will count, without allocating any of it."""
    with FakeTensorMode(), device:
        layer = build_layer(kernel, tokens, width, heads)
        return count_peak_bytes(layer, torch.randn(1, tokens, width))
