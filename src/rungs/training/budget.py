"""How long and on what a variant is trained."""

from typing import Literal, Self

from pydantic import model_validator

from rungs.settings import Count, CountOrZero, Fraction, NonNegative, Positive, Settings


class Budget(Settings):
    """The training budget of a run; the defaults are the chapter's."""

    steps: Count = 3_000
    batch_size: Count = 64
    """Windows per step."""
    context_length: Count = 128
    """Tokens per window."""
    stride: Count = 1
    """Windows start at multiples of this many tokens: anywhere, or where a sentence does."""
    learning_rate: Positive = 1e-3
    warmup_steps: CountOrZero = 0
    """Steps over which the learning rate rises linearly to its value; constant afterwards."""
    weight_decay: NonNegative = 0.01
    moments: tuple[Fraction, Fraction] = (0.9, 0.999)
    """AdamW's beta_1 and beta_2."""
    validate_every: Count = 250
    """Steps between two entries of the history."""
    observe_attention: bool = False
    """Whether the history says how sharply the model attends, from its initialisation on."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of the matrix products in training; weights, sums and evaluations are float32 always."""
    threads: Count = 1
    """That torch computes with: part of what is trained, because a parallel sum has another order.
    For runs that are too long for one core."""

    @model_validator(mode="after")
    def _warmup_ends(self) -> Self:
        if self.warmup_steps > self.steps:
            raise ValueError(
                f"warmup_steps: {self.warmup_steps} is more than the {self.steps} steps there are"
            )
        return self

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of the update numbered ``step``, counted from 0."""
        if step >= self.warmup_steps:
            return self.learning_rate
        return self.learning_rate * (step + 1) / self.warmup_steps
