"""The base of every settings model, and the number types they share."""

import contextlib
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from rungs.files import canonical_json


def _refuse_booleans(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("number_expected", "a number is expected, not a yes or no")
    return value


def _whole(value: Any) -> Any:
    """Read 1e3 as 1000: YAML takes it for text, as every exponent without a point."""
    if isinstance(value, str) and "e" in value.lower():
        with contextlib.suppress(ValueError):
            if (number := float(value)).is_integer():
                return int(number)
    return _refuse_booleans(value)


Count = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=10**12)]
CountOrZero = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=10**12)]
Positive = Annotated[
    float, BeforeValidator(_refuse_booleans), Field(gt=0, allow_inf_nan=False, le=1e12)
]
NonNegative = Annotated[
    float, BeforeValidator(_refuse_booleans), Field(ge=0, allow_inf_nan=False, le=1e12)
]
Fraction = Annotated[float, BeforeValidator(_refuse_booleans), Field(ge=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


class Settings(BaseModel):
    """Immutable settings that refuse unknown keys.

    Numbers written as strings are read as numbers, because YAML reads ``1e-3`` as a string and
    Snakemake's ``--config`` passes every nested value as one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def canonical(self, exclude: set[str] | None = None) -> str:
        """Return all fields, defaults included, as canonical JSON: equal settings, equal text."""
        return canonical_json(self.model_dump(mode="json", exclude=exclude))
