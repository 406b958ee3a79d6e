"""How long and on what a variant is trained."""

from typing import Self

from pydantic import model_validator

from rungs.settings import Count, CountOrZero, NonNegative, Positive, Settings


class Budget(Settings):
    """The training budget of a run; the defaults are the chapter's."""

    steps: Count = 3_000
    batch_size: Count = 64
    """Windows per step."""
    context_length: Count = 128
    """Tokens per window."""
    learning_rate: Positive = 1e-3
    warmup_steps: CountOrZero = 0
    """Steps over which the learning rate rises linearly to its value; constant afterwards."""
    weight_decay: NonNegative = 0.01
    validate_every: Count = 250
    """Steps between two entries of the history."""

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
