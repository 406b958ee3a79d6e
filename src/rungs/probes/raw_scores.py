"""Stage ``probe-raw-scores``: what tokens would look at if vectors were scored as they are.

The score of two tokens is the dot product of their vectors, or of a query and a key: two linear
maps of them, one map for both or each its own. Nothing is learned: vectors and maps are random, so
that what is found holds of the form of the score. There is no mask, which would leave the first
token nobody else.
"""

from pathlib import Path

import torch
from torch import Tensor

from rungs.probes.measurement import Observed
from rungs.probes.repeated import repeated
from rungs.probes.variants import Seeds

TOKENS, WIDTH = 16, 128


def run(*, seeds: Seeds, output: Path) -> str:
    """Measure once per seed and write what each kind of score does."""
    return repeated(measure, seeds, output)


def measure(seed: int) -> list[Observed]:
    """Return the metrics of each kind of score, of one sequence of random tokens."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(TOKENS, WIDTH, generator=generator, dtype=torch.float64)
    query_map, key_map = (
        torch.randn(WIDTH, WIDTH, generator=generator, dtype=torch.float64) / WIDTH**0.5
        for _ in "qk"
    )
    q, k = x @ query_map, x @ key_map
    kinds = {"token vectors": x @ x.T, "one map for both": q @ q.T, "a query and a key": q @ k.T}
    return [
        ({"measure": name}, metric, number)
        for name, scores in kinds.items()
        for metric, number in relation(scores).items()
    ]


def relation(scores: Tensor) -> dict[str, float]:
    """Return what undivided scores, (tokens, tokens), make of a sequence.

    Returns:
        chooses_itself: the share of tokens whose largest weight is on themselves.
        weight: the mean weight of a token on itself.
        other_weight: the mean of the weight on all others together.
        difference: the largest difference of a score from its mirror image, relative to the
            largest score.
        rounding: what rounding explains of it, at most: a product of so many terms is known to
            their number times the spacing of floats (Higham 2002, section 3.1).
    """
    weights = scores.softmax(-1)
    own = weights.diagonal()
    itself = weights.argmax(-1) == torch.arange(len(scores))
    return {
        "chooses_itself": itself.double().mean().item(),
        "weight": own.mean().item(),
        "other_weight": (weights.sum(-1) - own).mean().item(),
        "difference": ((scores - scores.T).abs().max() / scores.abs().max()).item(),
        "rounding": WIDTH * torch.finfo(scores.dtype).eps,
    }
