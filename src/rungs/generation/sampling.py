"""Drawing one token from a model's logits."""

import numpy as np
import torch
from torch import Tensor

from rungs.errors import UserError
from rungs.generation.settings import Sampling


def draw(logits: Tensor, sampling: Sampling, seed: int, step: int) -> int:
    """Return the id of a token drawn from the logits.

    The number that decides depends on (seed, step) alone, and tokens are drawn in the order of
    their ids: logits that differ by rounding give the same token, but for a chance as small as
    the rounding.

    Args:
        logits: of one position, (vocabulary,).
        sampling: temperature and cuts.
        seed: of the continuation.
        step: how many tokens were drawn before.

    Raises:
        UserError: a logit is not finite.
    """
    if not logits.isfinite().all():
        raise UserError(
            "the model's logits are not finite: its training diverged; choose another run"
        )
    if sampling.temperature == 0:
        return int(logits.argmax())
    kept = (logits.double() / sampling.temperature).softmax(0)
    if sampling.top_k is not None and sampling.top_k < len(kept):
        least = kept.topk(sampling.top_k).values[-1]
        kept = torch.where(kept >= least, kept, 0.0)
    if sampling.top_p is not None:
        kept = _nucleus(kept / kept.sum(), sampling.top_p)
    uniform = np.random.Generator(np.random.Philox(key=[seed, step])).random()
    cumulated = kept.cumsum(0)
    return int(torch.searchsorted(cumulated, uniform * cumulated[-1], right=True))


def _nucleus(probabilities: Tensor, top_p: float) -> Tensor:
    """Keep the most probable tokens that together reach ``top_p``, at least one."""
    ordered, ids = probabilities.sort(descending=True)
    before = ordered.cumsum(0) - ordered
    kept = torch.where(before < top_p, ordered, 0.0)
    return torch.zeros_like(probabilities).scatter(0, ids, kept)
