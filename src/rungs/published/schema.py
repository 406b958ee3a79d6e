"""What a published claim is: a statement, a number, and where ours is to be found."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rungs.published.quantity import Cell, Least, Minus, Quantity
from rungs.settings import Settings

Kind = Literal["exact", "value", "difference", "order", "shape"]


class Claim(Settings):
    """One published number or comparison.

    The kinds are judged in ``rungs.claims.verdicts``: *exact*, equal to the published digits;
    *value*, a number that has a spread; *difference*, sign and size of a paired improvement;
    *order*, the quantity is positive; *shape*, a ratio, an exponent or a share.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    statement: Annotated[str, Field(min_length=1)]
    kind: Kind
    published: Annotated[Decimal | str | None, Field(union_mode="left_to_right")] = None
    """The published value with its published decimals, quoted in the file where they end in a
    zero; none for an order."""
    turns_at: float | None = None
    """Of a shape: the value at which the opposite of the statement begins."""
    quantity: Quantity

    @property
    def number(self) -> Decimal | None:
        """The published value where it is a number."""
        return self.published if isinstance(self.published, Decimal) else None

    @property
    def cells(self) -> list[Cell]:
        """The cells the claim rests on."""
        return self.quantity.cells

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> Self:
        if (self.published is None) != (self.kind == "order"):
            raise ValueError(f"{self.id}: every kind but order has a published value")
        if self.kind != "exact" and isinstance(self.published, str):
            raise ValueError(f"{self.id}: only an exact claim can publish a word")
        if (self.turns_at is None) != (self.kind != "shape"):
            raise ValueError(f"{self.id}: turns_at belongs to a shape, and every shape has it")
        if self.kind in ("difference", "order") and not isinstance(self.quantity, Minus | Least):
            raise ValueError(f"{self.id}: {self.kind} compares two numbers: give minus")
        return self


class Shown(Settings):
    """A published number that is shown beside ours, and not claimed of another machine."""

    cell: Cell
    published: float


class Section(Settings):
    """The claims of one section of a chapter."""

    chapter: Annotated[str, Field(min_length=1)]
    section: Annotated[str, Field(min_length=1)]
    claims: list[Claim]
    shown: list[Shown] = Field(default=[])
