"""The architecture of a language model as a flat set of orthogonal choices."""

from typing import Literal, Self

from pydantic import model_validator

from rungs.errors import guard
from rungs.model.positions import encoding_of, encodings
from rungs.settings import Count, Fraction, Settings


class Architecture(Settings):
    """Everything that decides a model's shape and computation, apart from its vocabulary.

    The defaults are the poorest model of the ladder: an embedding, read by a linear layer.
    """

    width: Count = 128
    """Features per token, d_model."""
    depth: Count = 1
    """Number of blocks."""
    mixer: Literal["none", "average", "window", "attention"] = "none"
    """How information moves between positions: not at all, by a uniform causal average of the
    prefix, by a hidden layer over a window of the last tokens, or by self-attention."""
    window: Count | None = None
    """Tokens that a window mixer sees, the current one included."""
    hidden: Count | None = None
    """Units of a window mixer's hidden layer; the width by default."""
    residual: bool = True
    """Whether a sub-layer's output is added to its input or replaces it."""
    heads: Count = 1
    head_width: Count | None = None
    """Features per head, d_k; by default the width is partitioned, d_k = width / heads."""
    divide_scores: bool = True
    """Whether scores are divided by sqrt(d_k)."""
    causal: bool = True
    """Whether attention is kept from the future; without it a model reads its own answers."""
    attention_bias: bool = False
    """Whether the query, key and value projections have biases: GPT-2's do, the chapter's not."""
    feed_forward: bool = False
    """Whether a block has a feed-forward sub-layer of four times the width, with a GELU."""
    normalization: Literal["none", "pre", "post"] = "none"
    """LayerNorm nowhere, at the input of each sub-layer and of the output layer (pre), or after
    each residual addition (post)."""
    positions: str = "none"
    """How a token's position is told: an encoding of ``rungs.model.positions``."""
    position_rows: Count | None = None
    """Rows of the learned position table: the longest context the model can read, in tokens."""
    dropout: Fraction = 0.0
    """On the attention weights, on each sub-layer's output and on the embedding sum."""
    tied_output: bool = False
    """Whether the output layer is the token embedding, transposed and without a bias (as GPT-2)."""

    initialization: Literal["torch", "gpt2"] = "torch"
    """PyTorch's own, as the chapter, or GPT-2's: small embeddings, smaller residual layers."""

    @property
    def resolved_head_width(self) -> int:
        """Features per head, d_k."""
        return self.head_width or self.width // self.heads

    @property
    def output_projection(self) -> bool:
        """Whether attention ends in W_o: it must where heads are concatenated or widths differ."""
        return self.heads > 1 or self.resolved_head_width != self.width

    @property
    def output_width(self) -> int:
        """Features per token that the output layer reads."""
        return self.hidden or self.width

    @model_validator(mode="after")
    @guard
    def _refuse_nonsense(self) -> Self:
        if self.positions not in encodings():
            known = ", ".join(map(repr, encodings()))
            raise ValueError(f"positions: must be one of {known}, not {self.positions!r}")
        self._refuse_half_windows()
        self._refuse_attention_settings_without_attention()
        self._refuse_impossible_shapes()
        if self.mixer == "none" and not self.residual and not self.feed_forward:
            raise ValueError(
                "residual: false with mixer: none replaces each token by nothing; "
                "choose a mixer or drop the key"
            )
        if self.mixer == "none" and not self.feed_forward:
            if self.depth > 1:
                raise ValueError(
                    "depth: a block without mixer and feed_forward is empty; "
                    "choose a mixer or set depth: 1"
                )
            if self.normalization != "none":
                raise ValueError(
                    f"normalization: {self.normalization} needs a sub-layer; "
                    "choose a mixer or set feed_forward: true"
                )
        if self.normalization == "post" and not self.residual:
            raise ValueError(
                "normalization: post normalises the residual sum; set residual: true or "
                "normalization: pre"
            )
        return self

    @guard
    def _refuse_half_windows(self) -> None:
        if self.mixer != "window":
            for key in ("window", "hidden"):
                if getattr(self, key) is not None:
                    raise ValueError(f"{key}: has no effect with mixer: {self.mixer}; drop the key")
            return
        if self.window is None:
            raise ValueError("window: a window mixer needs a size in tokens")
        alone = not self.residual and not self.feed_forward and self.depth == 1
        if not alone or self.normalization != "none" or self.tied_output:
            raise ValueError(
                "mixer: a window's hidden layer is the whole model between embedding and output; "
                "set residual: false and drop depth, feed_forward, normalization and tied_output"
            )

    @guard
    def _refuse_attention_settings_without_attention(self) -> None:
        if self.mixer == "attention":
            return
        needs_attention = {
            "heads": self.heads > 1,
            "head_width": self.head_width is not None,
            "divide_scores": not self.divide_scores,
            "causal": not self.causal,
            "attention_bias": self.attention_bias,
            "positions": encodings()[self.positions].in_attention(),
        }
        for key, set_here in needs_attention.items():
            if set_here:
                raise ValueError(
                    f"{key}: {getattr(self, key)} has no effect with mixer: {self.mixer}; "
                    "set mixer: attention or drop the key"
                )

    @guard
    def _refuse_impossible_shapes(self) -> None:
        if self.head_width is None and self.width % self.heads:
            raise ValueError(
                f"heads: {self.heads} heads do not divide the width of {self.width}; "
                "choose a divisor or give head_width"
            )
        encoding = encoding_of(self)
        for reason in encoding.refusals():
            raise ValueError(f"positions: {reason}")
        if encoding.needs_rows and self.position_rows is None:
            raise ValueError(
                f"position_rows: the table of positions: {self.positions} needs a size, at least "
                "the longest context it is trained or evaluated on"
            )
        if not encoding.needs_rows and self.position_rows is not None:
            tables = " or ".join(name for name, known in encodings().items() if known.needs_rows)
            raise ValueError(
                f"position_rows: only positions: {tables} has a table, not {self.positions}"
            )
