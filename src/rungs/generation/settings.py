"""How a continuation is drawn from a model."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from rungs.settings import Count, NonNegative, Positive, Settings

Prompt = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


LOWEST_TEMPERATURE = 1e-3
"""Above 0. Logits divided by less may overflow, and draw what 0 takes anyway."""


def _zero_or_not_tiny(temperature: float) -> float:
    if 0 < temperature < LOWEST_TEMPERATURE:
        raise PydanticCustomError("tiny_temperature", "must be 0, or 0.001 or more")
    return temperature


class Sampling(Settings):
    """Which of the model's probabilities a token is drawn from."""

    temperature: Annotated[NonNegative, AfterValidator(_zero_or_not_tiny)] = 1.0
    """Divides the logits; 0 always takes the most probable token."""
    top_k: Count | None = None
    """Only the so many most probable tokens are drawn."""
    top_p: Annotated[Positive, Field(le=1)] | None = None
    """Only the most probable tokens are drawn that together reach this probability (Holtzman et
    al. 2020, section 3.1)."""


class Continuation(Sampling):
    """What a run writes on from, and how much."""

    prompt: Prompt
    tokens: Count = 200
    """Drawn after the prompt, fewer where a story ends."""
