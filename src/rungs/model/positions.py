"""Four ways to tell a model where a token stands."""

import math

import torch
from torch import Tensor


def sinusoidal_table(rows: int, width: int) -> Tensor:
    """Return fixed position vectors, (rows, width): sines and cosines of falling frequencies.

    Row t holds sin(t / 10000^(2i / width)) at feature 2i and the cosine at 2i + 1
    (Vaswani et al. 2017, section 3.5).
    """
    frequencies = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.outer(torch.arange(rows, dtype=torch.float32), frequencies)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def rotary_angles(tokens: int, head_width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines by which rotary encoding turns, each (tokens, head_width / 2).

    Position t turns pair i by t / 10000^(2i / head_width) (Su et al. 2021, equation 15).
    """
    exponents = torch.arange(0, head_width, 2, device=device) / head_width
    positions = torch.arange(tokens, device=device, dtype=torch.float32)
    angles = torch.outer(positions, 10_000.0**-exponents)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn each pair of features of queries or keys by its position's angle.

    Pairs feature i with feature i + head_width / 2, as most implementations do; the pairing is
    a permutation of features and changes no score.

    Args:
        x: queries or keys, (..., tokens, head_width).
        cosines: (tokens, head_width / 2).
        sines: (tokens, head_width / 2).
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cosines - second * sines, second * cosines + first * sines), dim=-1)


def alibi_slopes(heads: int) -> Tensor:
    """Return each head's penalty per token of distance, (heads,).

    For a power of two the slopes are 2^(-8/n), 2^(-16/n), ...; other numbers take every other
    slope of the next power to fill up (Press et al. 2022, section 3 and their released code).
    """
    power = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    slopes += [2 ** (-4 * (2 * head + 1) / power) for head in range(heads - power)]
    return torch.tensor(slopes)


def alibi_bias(heads: int, tokens: int, device: torch.device) -> Tensor:
    """Return what ALiBi adds to the scores, causal mask included, (heads, tokens, tokens).

    Query t and key i get -slope * (t - i); keys after the query get minus infinity
    (Press et al. 2022, section 3).
    """
    positions = torch.arange(tokens, device=device)
    distance = positions[:, None] - positions[None, :]
    bias = -alibi_slopes(heads).to(device)[:, None, None] * distance
    return bias.masked_fill(distance < 0, float("-inf"))
