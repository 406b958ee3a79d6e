"""The attention chapter's published cost of one attention layer."""

from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CostRow(_Published):
    """One row of the published table; None where the chapter ran out of memory."""

    tokens: int
    milliseconds: float | None
    projection_milliseconds: float | None
    attention_matrix_mib: float
    peak_mib: float | None


class CostExponents(_Published):
    """Published log-log slopes, and the sequence lengths between which they were fitted."""

    first_tokens: int
    last_tokens: int
    milliseconds: float
    peak_mib: float


class AttentionCost(_Published):
    """The published table, with the kernel and the layer it was measured on."""

    chapter: str
    section: str
    kernel: str
    width: int
    heads: int
    rows: tuple[CostRow, ...]
    exponents: CostExponents


def attention_cost() -> AttentionCost:
    """Return the published table of the cost of one attention layer."""
    text = resources.files("rungs.published").joinpath("attention_cost.yaml").read_text("utf-8")
    return AttentionCost.model_validate(yaml.safe_load(text))
