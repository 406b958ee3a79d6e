"""Where the parameters of a language model are."""

from collections.abc import Iterable, Sequence

import torch
from torch import nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention, Window
from rungs.model.block import Block
from rungs.model.language_model import LanguageModel


def count_parameters(architecture: Architecture, vocabulary: int) -> dict[str, int]:
    """Return the parameters of each component of an instantiated model, and their total.

    The model is built on torch's meta device, which has shapes and no memory. A parameter that
    two components share is counted with the first: a tied output layer has none of its own.
    """
    with torch.device("meta"):
        model = LanguageModel(architecture, vocabulary)
    modules = list(model.modules())
    counts = {
        "token embedding": _size([model.embedding]),
        "position embedding": _size([model.position_table] if model.position_table else []),
        "attention": _size(_of_type(modules, Attention)),
        "LayerNorm": _size(_of_type(modules, nn.LayerNorm)),
    }
    if architecture.mixer == "window":
        counts["window"] = _size([m for m in modules if isinstance(m, Window)])
    total = _size([model])
    output = 0 if architecture.tied_output else _size([model.output])
    feed_forward = total - sum(counts.values()) - output
    return {**counts, "feed-forward": feed_forward, "output layer": output, "total": total}


def count_block_parameters(architecture: Architecture) -> dict[str, int]:
    """Return the parameters of each component of one instantiated block, and of the block."""
    with torch.device("meta"):
        one = Block(architecture)
    modules = list(one.modules())
    feed_forward = [one.feed_forward.function] if one.feed_forward else []
    return {
        "attention": _size(_of_type(modules, Attention)),
        "feed-forward": _size(feed_forward),
        "LayerNorm": _size(_of_type(modules, nn.LayerNorm)),
        "block": _size([one]),
    }


def _of_type(modules: Iterable[nn.Module], kind: type[nn.Module]) -> list[nn.Module]:
    return [module for module in modules if isinstance(module, kind)]


def _size(modules: Sequence[nn.Module]) -> int:
    return sum(parameter.numel() for module in modules for parameter in module.parameters())
