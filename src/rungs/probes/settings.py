"""How often and on what the probes measure."""

from typing import Annotated

from pydantic import Field

from rungs.settings import Count, Name, Settings

SENTENCE = [0, 1, 2, 3, 4, 5, 2, 6, 7, 8, 9]
"""The tokens that an untrained model reads: Once upon a time there was a girl named Lily ."""


class GradientNorms(Settings):
    """The gradient of each block at initialisation, on one batch."""

    corpus: Name
    variants: list[Name] = Field(min_length=1)
    """With attention that ends in an output projection."""
    batch_size: Count = 64
    """Windows, spread evenly over the training split."""
    context_length: Count = 128
    """Tokens per window."""


class LanguageModels(Settings):
    """What a model can see, and what it looks at, before it is trained."""

    variants: list[Name] = Field(min_length=1)
    """Causal models, one of them with attention."""
    budget: Name
    """Its windows and their tokens are what one step predicts from."""


class Probes(Settings):
    """What is measured without training."""

    seeds: Count = 5
    """Repetitions behind each interval, with the seeds 0, 1, ..."""
    draws: dict[Name, Count] = Field(default={})
    """For a probe, its own number of repetitions instead: what is cheap is drawn hundreds of times,
    so that a published draw can be held against the draws themselves."""
    widths: list[Count] = Field(min_length=1)
    """Features of a query and a key, d_k."""
    pairs: Annotated[Count, Field(ge=2)] = 20_000
    """Of a query and a key, behind each variance."""
    rows: Count = 2_000
    """Of scores, behind each number on the softmax."""
    gradient_norms: GradientNorms
    language_models: LanguageModels

    def repetitions(self, probe: str) -> int:
        """Return how often a probe is repeated."""
        return self.draws.get(probe, self.seeds)
