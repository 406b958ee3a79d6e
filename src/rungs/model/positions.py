"""How a model knows where a token stands: one class an encoding.

What an encoding refuses and costs is asked while the graph of jobs is built, which does without
torch and the second that its import takes: torch is imported where tensors are made.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from torch import Tensor, nn

    from rungs.model.architecture import Architecture


class Positions:
    """No encoding, and the hooks by which every other one enters a model.

    A subclass overrides the hooks that it needs and says what they cost. Its ``name`` is a value
    of ``positions:`` in a variant.
    """

    name: ClassVar[str] = "none"
    needs_rows: ClassVar[bool] = False
    """Whether it learns a table of ``position_rows`` rows, one for each position or distance."""
    calls: ClassVar[int] = 0
    """Operators called per block in a forward pass."""

    def __init__(self, architecture: "Architecture") -> None:
        self.architecture = architecture
        self.heads, self.head_width = architecture.heads, architecture.resolved_head_width

    @classmethod
    def in_attention(cls) -> bool:
        """Say whether it acts inside attention, in every block, and not on the embeddings."""
        return cls.turned is not Positions.turned or cls.bias is not Positions.bias

    @property
    def table_shape(self) -> tuple[int, int] | None:
        """Rows and columns of the learned table, one a model or one a block; None without one."""
        columns = self.heads if self.in_attention() else self.architecture.width
        return (self.architecture.position_rows or 0, columns) if self.needs_rows else None

    def refusals(self) -> Iterator[str]:
        """Yield why it does not suit its architecture."""
        yield from ()

    @property
    def kept(self) -> int:
        """Numbers per position and block that a step keeps for its backward pass."""
        return 0

    def touched(self, tokens: int) -> int:
        """Return the numbers per position and block of a window that a forward pass touches."""
        return 0

    def added(self, table: "nn.Embedding | None", positions: "Tensor") -> "Tensor | None":
        """Return what is added to the embeddings at (tokens,) positions, (tokens, width)."""
        return None

    def turned(self, x: "Tensor", positions: "Tensor") -> "Tensor":
        """Return queries or keys at (tokens,) positions, (..., tokens, head_width)."""
        return x

    def bias(
        self, table: "nn.Embedding | None", queries: "Tensor", keys: "Tensor"
    ) -> "Tensor | None":
        """Return what is added to scores, before the causal mask: (heads, queries, keys).

        Args:
            table: the learned one of its block.
            queries: their positions, (queries,).
            keys: likewise.
        """
        return None


class Learned(Positions):
    """A learned vector for each position, added to the token's embedding (GPT and GPT-2)."""

    name = "learned"
    needs_rows = True

    def added(self, table: "nn.Embedding | None", positions: "Tensor") -> "Tensor":
        """Return rows of the table; an IndexError where it ends."""
        assert table is not None
        return table(positions)


class Sinusoidal(Positions):
    """Fixed vectors of sines and cosines, added to the embedding (Vaswani et al. 2017, 3.5).

    Position t holds sin(t / 10000^(2i / width)) at feature 2i and the cosine at 2i + 1.
    """

    name = "sinusoidal"

    def refusals(self) -> Iterator[str]:
        """Refuse an odd width."""
        if (width := self.architecture.width) % 2:
            yield f"sinusoidal pairs sines with cosines, and the width of {width} is odd"

    def added(self, table: "nn.Embedding | None", positions: "Tensor") -> "Tensor":
        """Return the vectors, computed on the CPU: the same bits for every device."""
        import torch

        width = self.architecture.width
        frequencies = torch.exp(torch.arange(0, width, 2) * (-math.log(1e4) / width))
        angles = torch.outer(positions.cpu().float(), frequencies)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1).to(positions.device)


class Rotary(Positions):
    """Queries and keys turned by their position (Su et al. 2021, equation 15).

    Position t turns pair i of a head's features by t / 10000^(2i / head_width). Feature i is paired
    with i + head_width / 2, as most implementations do: a permutation, which changes no score.
    """

    name = "rotary"
    calls = 14

    @property
    def kept(self) -> int:
        """Both turned halves of queries and of keys."""
        return 4 * self.heads * self.head_width

    def refusals(self) -> Iterator[str]:
        """Refuse an odd head width."""
        if self.head_width % 2:
            yield f"rotary turns pairs of features, and the head width of {self.head_width} is odd"

    def touched(self, tokens: int) -> int:
        """Queries and keys, each read, turned and joined."""
        return 6 * self.heads * self.head_width

    def turned(self, x: "Tensor", positions: "Tensor") -> "Tensor":
        """Turn each pair of features by its position's angle."""
        import torch

        exponents = torch.arange(0, self.head_width, 2, device=x.device) / self.head_width
        angles = torch.outer(positions.float(), 10_000.0**-exponents)
        cosines, sines = angles.cos(), angles.sin()
        first, second = x.chunk(2, dim=-1)
        return torch.cat(
            (first * cosines - second * sines, second * cosines + first * sines), dim=-1
        )


class Alibi(Positions):
    """A penalty on each score that grows with the distance (Press et al. 2022, section 3)."""

    name = "alibi"
    calls = 10

    @property
    def slopes(self) -> "Tensor":
        """Each head's penalty per token of distance, (heads,).

        For a power of two the slopes are 2^(-8/n), 2^(-16/n), ...; other numbers take every other
        slope of the next power to fill up, as in the paper's released code.
        """
        import torch

        power = 2 ** int(math.log2(self.heads))
        slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
        slopes += [2 ** (-4 * (2 * head + 1) / power) for head in range(self.heads - power)]
        return torch.tensor(slopes)

    def refusals(self) -> Iterator[str]:
        """Refuse attention that sees the future."""
        if not self.architecture.causal:
            yield (
                "alibi penalises the distance to the past; set causal: true or choose other "
                "positions"
            )

    def touched(self, tokens: int) -> int:
        """A bias for every score."""
        return self.heads * tokens

    def bias(self, table: "nn.Embedding | None", queries: "Tensor", keys: "Tensor") -> "Tensor":
        """Return -slope * (t - i) for query t and key i."""
        distance = queries[:, None] - keys
        return -self.slopes.to(queries.device)[:, None, None] * distance


def encodings() -> dict[str, type[Positions]]:
    """Return every encoding by its name; a subclass is one as soon as it is defined."""
    known: list[type[Positions]] = [Positions, *Positions.__subclasses__()]
    return {encoding.name: encoding for encoding in known}


def encoding_of(architecture: "Architecture") -> Positions:
    """Return the encoding of an architecture."""
    return encodings()[architecture.positions](architecture)
