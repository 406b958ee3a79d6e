"""Stage ``probe-properties``: what the prose says of the parts, and no training can change.

Each property is an equality of two computations, which rounding alone may tell apart. The parts
are those of the models.
"""

from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.probes.agreement import Computation, agreement
from rungs.probes.averaging import running_mean
from rungs.probes.averaging_matrix import averaging_matrix
from rungs.probes.measurement import Observed
from rungs.probes.repeated import repeated
from rungs.probes.variants import Seeds

TOKENS, WIDTH, HEADS = 100, 128, 4
PREFIX = 60
"""How many tokens of the window are read by themselves."""
STEPS, RATE, DECAY = 100, 1e-3, 0.01
"""At the rate that trains a table of positions, with AdamW's default decay."""
SHIFT = 37

Property = tuple[str, Computation, Computation]


def run(*, seeds: Seeds, output: Path) -> str:
    """Measure once per seed and write the differences."""
    return repeated(measure, seeds, output)


@torch.no_grad()
def measure(seed: int) -> list[Observed]:
    """Return both computations of every property, compared for one window of random tokens."""
    torch.manual_seed(seed)
    x = torch.randn(TOKENS, WIDTH)
    properties = (*_of_averages(x), *_of_parts(x), _of_rotation(x), _of_the_optimiser(x[0]))
    return [
        observed
        for name, first, second in properties
        for observed in agreement({"measure": name}, first, second)
    ]


def _of_averages(x: Tensor) -> Iterator[Property]:
    """Yield what is said of the weights of an average, with x of (tokens, width)."""

    def equal_scores(dtype: torch.dtype) -> Tensor:
        visible = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
        scores = torch.full((TOKENS, TOKENS), 1.7, dtype=dtype).where(visible, -torch.inf)
        return scores.softmax(-1) @ x.to(dtype)

    yield "equal scores, running mean", equal_scores, lambda dtype: running_mean(x.to(dtype))

    def last_share(dtype: torch.dtype) -> Tensor:
        alone = torch.zeros(TOKENS, WIDTH, dtype=dtype)
        alone[-1] = x[-1].to(dtype)
        return averaging_matrix(TOKENS, dtype)[-1] @ alone

    yield "token 100 in the average, a hundredth", last_share, lambda dtype: x[-1].to(dtype) / 100


def _of_parts(x: Tensor) -> Iterator[Property]:
    """Yield what is said of attention, LayerNorm and a linear layer."""
    layer = Attention(Architecture(width=WIDTH, heads=HEADS, mixer="attention"))
    norm, linear = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
    changed = torch.cat([x[:PREFIX], torch.randn(TOKENS - PREFIX, WIDTH)])

    def attend(tokens: Tensor, dtype: torch.dtype) -> Tensor:
        return layer.to(dtype)(tokens.to(dtype)[None])[0]

    def normalise(tokens: Tensor, dtype: torch.dtype, training: bool = True) -> Tensor:
        return norm.train(training).to(dtype)(tokens.to(dtype))

    def mix(values: Tensor) -> Tensor:
        """Mix values, (tokens, width), by the weights that the window has chosen."""
        dtype = values.dtype
        q, k, _ = layer.to(dtype).queries_keys_values(x.to(dtype)[None])
        future = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
        return (q @ k.mT).masked_fill(future, -torch.inf).softmax(-1)[0, 0] @ values

    yield (
        "what was computed, later tokens changed",
        lambda dtype: attend(x, dtype)[:PREFIX],
        lambda dtype: attend(changed, dtype)[:PREFIX],
    )
    yield (
        "the first tokens, read in a longer window",
        lambda dtype: attend(x[:PREFIX], dtype),
        lambda dtype: attend(x, dtype)[:PREFIX],
    )
    yield (
        "values mixed and added, added and mixed",
        lambda dtype: mix(x.to(dtype)) + mix(changed.to(dtype)),
        lambda dtype: mix(x.to(dtype) + changed.to(dtype)),
    )
    yield (
        "LayerNorm of a window, of each token alone",
        lambda dtype: normalise(x, dtype),
        lambda dtype: torch.cat([normalise(token[None], dtype) for token in x]),
    )
    yield (
        "LayerNorm in training, in inference",
        lambda dtype: normalise(x, dtype, training=True),
        lambda dtype: normalise(x, dtype, training=False),
    )
    yield (
        "a linear layer of twice the input, its output twice",
        lambda dtype: linear.to(dtype)(2 * x.to(dtype)),
        lambda dtype: 2 * linear.to(dtype)(x.to(dtype)),
    )


def _of_rotation(x: Tensor) -> Property:
    """Return that a score of turned queries and keys depends on their distance alone.

    Source: Su et al. (2021), equation 16, in complex numbers. The models' class is not used: its
    angles are float32 in every precision.
    """
    pairs = WIDTH // HEADS // 2
    frequencies = 10_000.0 ** -(torch.arange(pairs, dtype=torch.float64) / pairs)

    def scores(dtype: torch.dtype, start: int) -> Tensor:
        angles = torch.outer(torch.arange(start, start + TOKENS), frequencies.to(dtype))
        turn = torch.polar(torch.ones_like(angles), angles)
        q, k = (
            turn * torch.complex(*part.to(dtype)[:, : 2 * pairs].chunk(2, dim=-1))
            for part in (x, x.flip(0))
        )
        return (q @ k.mH).real

    return (
        f"rotary scores, all positions moved by {SHIFT}",
        lambda dtype: scores(dtype, 0),
        lambda dtype: scores(dtype, SHIFT),
    )


def _of_the_optimiser(row: Tensor) -> Property:
    """Return what AdamW makes of a row that no batch reads: its start, smaller by the decay.

    Source: Loshchilov and Hutter (2019), algorithm 2: without a gradient the decay alone is left.
    """

    def trained(dtype: torch.dtype) -> Tensor:
        untouched = nn.Parameter(row.to(dtype).clone())
        untouched.grad = torch.zeros_like(untouched)
        optimizer = torch.optim.AdamW([untouched], lr=RATE, weight_decay=DECAY)
        for _ in range(STEPS):
            optimizer.step()
        return untouched.detach()

    return (
        "a row no batch reads, its start decayed",
        trained,
        lambda dtype: row.to(dtype) * (1 - RATE * DECAY) ** STEPS,
    )
