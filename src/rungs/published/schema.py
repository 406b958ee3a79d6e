"""What a published claim is: a statement, a number, and where ours is to be found."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rungs.published.quantity import Cell, Least, Minus, Quantity
from rungs.settings import Settings

Kind = Literal["check", "every", "value", "difference", "order", "shape"]

Turn = float | None
"""Where the opposite of a statement begins; none on a side that has no opposite."""


class Claim(Settings):
    """One published number or comparison.

    The kinds are judged in :mod:`rungs.claims.verdicts`: *check*, an identity or a property of the
    architecture that no run could break; *every*, what holds in each draw or does not; *value*, a
    number that is drawn; *difference*, sign and size of a paired improvement; *order*, the quantity
    is positive; *shape*, a ratio, an exponent or a count on one side of its opposite.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    lines: list[int] = Field(default=[])
    """Where the chapter's text says so; none of a reader's own claim."""
    statement: Annotated[str, Field(min_length=1)]
    kind: Kind
    published: Annotated[Decimal | str | None, Field(union_mode="left_to_right")] = None
    """The published value with its published decimals, quoted in the file where they end in a
    zero; none for an order."""
    between: tuple[Turn, Turn] | None = None
    """Where the statement is true: of a shape, the values at which its opposite begins below and
    above; of a check whose published number is rounded in words, its bounds."""
    at_most: float | None = None
    """Of a shape: where the quantity ends. Distances are then measured from there, in factors."""
    derived: bool = False
    """Whether the number is computed from printed ones and not printed itself."""
    same_as: str | None = None
    """The claim that rests on the same measurement, and is counted for both."""
    quantity: Quantity

    @property
    def number(self) -> Decimal | None:
        """The published value where it is a number."""
        return self.published if isinstance(self.published, Decimal) else None

    @property
    def decimals(self) -> int:
        """How many decimals were published."""
        exponent = self.number.as_tuple().exponent if self.number is not None else 0
        return max(0, -exponent) if isinstance(exponent, int) else 0

    @property
    def half_unit(self) -> float:
        """Half of the last published digit: what rounding may have hidden."""
        return 0.5 * 10.0**-self.decimals

    def prints_as(self, value: float) -> bool:
        """Whether a value has the published digits; a tie rounds either way."""
        assert self.number is not None, f"{self.id} has no published number"
        return abs(value - float(self.number)) <= self.half_unit * (1 + 1e-6)

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """Where the opposite begins, below and above: of a difference and an order at zero."""
        if self.between is not None:
            return self.between
        return (None, 0.0) if self.number is not None and self.number < 0 else (0.0, None)

    @property
    def cells(self) -> list[Cell]:
        """The cells the claim rests on."""
        return self.quantity.cells

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> Self:
        fixed = self.kind in ("check", "every")
        if self.kind == "order" and self.published is not None:
            raise ValueError(f"{self.id}: an order has no published value")
        if self.kind in ("value", "difference", "shape") and self.number is None:
            raise ValueError(f"{self.id}: a {self.kind} has a published number")
        if self.between is not None and self.kind not in ("shape", "check"):
            raise ValueError(f"{self.id}: between belongs to a shape or a check")
        if self.kind == "shape" and self.between is None:
            raise ValueError(f"{self.id}: a shape says between what it is true")
        if self.at_most is not None and self.kind != "shape":
            raise ValueError(f"{self.id}: at_most belongs to a shape")
        low, high = self.between or (None, None)
        if self.number is not None and not (
            (low is None or low <= self.number) and (high is None or self.number <= high)
        ):
            raise ValueError(f"{self.id}: {self.number} is not between {low} and {high}")
        compares = self.kind in ("difference", "order") or (fixed and self.published is None)
        if compares and self.between is None and not isinstance(self.quantity, Minus | Least):
            raise ValueError(f"{self.id}: {self.kind} compares two numbers: give minus")
        return self


class Shown(Settings):
    """A published number that is shown beside ours, and not claimed of another machine."""

    lines: list[int] = Field(default=[])
    cell: Cell
    published: float


class Section(Settings):
    """The claims of one section of a chapter."""

    chapter: Annotated[str, Field(min_length=1)]
    section: Annotated[str, Field(min_length=1)]
    claims: list[Claim]
    shown: list[Shown] = Field(default=[])
