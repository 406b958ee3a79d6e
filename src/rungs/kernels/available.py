"""Which attention kernels a device offers, and the layer built with one of them."""

from collections.abc import Callable

import torch
from torch import nn
from torch.backends.cuda import (
    SDPAParams,
    can_use_cudnn_attention,
    can_use_efficient_attention,
    can_use_flash_attention,
)
from torch.nn.attention import SDPBackend

from rungs.errors import UserError
from rungs.kernels.attention import AttentionLayer, FusedAttention, NaiveAttention

# Kernels that every device has: the chapter's own, and torch's default for the device.
_EVERYWHERE = ("naive", "tiled")

# Kernels that a CUDA device may add: torch's name, and torch's own test of whether it can run.
_CUDA: dict[str, tuple[SDPBackend, Callable[[SDPAParams], bool]]] = {
    "flash": (SDPBackend.FLASH_ATTENTION, can_use_flash_attention),
    "memory_efficient": (SDPBackend.EFFICIENT_ATTENTION, can_use_efficient_attention),
    "cudnn": (SDPBackend.CUDNN_ATTENTION, can_use_cudnn_attention),
}


def available_kernels(device: torch.device, width: int = 512, heads: int = 8) -> tuple[str, ...]:
    """Return the kernels that run on ``device`` in float32, the precision of the measurement.

    On CUDA, torch is asked about each of its backends with tensors of the layer's head size; it
    declines those that want half precision, or another generation of the device.
    """
    if device.type != "cuda":
        return _EVERYWHERE
    heads_of_tokens = torch.empty(1, heads, 128, width // heads, device=device)
    question = SDPAParams(heads_of_tokens, heads_of_tokens, heads_of_tokens, None, 0.0, True, False)
    return _EVERYWHERE + tuple(name for name, (_, can_run) in _CUDA.items() if can_run(question))


def build_layer(kernel: str, tokens: int, width: int, heads: int) -> AttentionLayer:
    """Return the layer around ``kernel``, on the current default device, for ``tokens`` tokens."""
    attend: nn.Module
    if kernel == "naive":
        attend = NaiveAttention(tokens)
    elif kernel == "tiled":
        attend = FusedAttention()
    else:
        attend = FusedAttention(_CUDA[kernel][0])
    return AttentionLayer(attend, width, heads).eval()


def check_kernel(kernel: str, device: torch.device, width: int, heads: int) -> None:
    """Refuse a kernel that ``device`` does not offer.

    Raises:
        UserError: the width does not divide into heads, or the kernel is not available here.
    """
    if width % heads:
        raise UserError(f"width {width} does not divide into {heads} heads: change one of them")
    offered = available_kernels(device, width, heads)
    if kernel not in offered:
        raise UserError(
            f"kernel {kernel!r} is not available on {device.type} in float32; "
            f"this device offers {', '.join(offered)}: take it out of kernels.kernels"
        )
