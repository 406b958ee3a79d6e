"""How a continuation is drawn from a model."""

from typing import Annotated

from pydantic import Field, StringConstraints

from rungs.settings import Count, NonNegative, Positive, Settings

Prompt = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class Sampling(Settings):
    """Which of the model's probabilities a token is drawn from."""

    temperature: NonNegative = 1.0
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
