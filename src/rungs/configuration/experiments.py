"""What is trained, measured and shown: variants, experiments, the kernel sweep, counted models."""

from typing import Literal, Self

from pydantic import Field, model_validator

from rungs.configuration.words import Seed, Text
from rungs.generation.settings import Continuation
from rungs.model.architecture import Architecture
from rungs.settings import Count, Name, NonNegative, Positive, Settings
from rungs.tables.settings import Metric


class Variant(Architecture):
    """One architecture, under a name."""

    label: Text | None = None
    """What tables and figures call it; by default its name, with spaces."""
    joins: list[Name] = Field(default=[])
    """Experiments this variant adds a row to, after the experiment's own variants."""

    def architecture(self) -> str:
        """Return, as canonical JSON, what decides the model and nothing else."""
        return self.canonical(exclude={"label", "joins"})


Chapter = Literal["attention", "gpt"]


class Experiment(Settings):
    """A set of variants behind one table."""

    title: Text
    chapter: Chapter = "attention"
    """The chapter it reproduces; only those under ``chapters`` are part of the whole."""
    corpus: Name
    budget: Name
    variants: list[Name] = Field(min_length=1)
    """The rows of the table, in order."""
    budgets: dict[Name, Name] = Field(default={})
    """For a variant, the budget it is trained on here instead of the experiment's. One that is
    not among the variants is ignored, so that an overlay can shorten the list of variants."""
    corpora: dict[Name, Name] = Field(default={})
    """For a variant, the corpus it is trained on here instead of the experiment's; otherwise as
    ``budgets``."""
    labels: dict[Name, Text] = Field(default={})
    """For a variant, what it is called here instead of its own label."""
    seeds: list[Seed] | None = None
    """Its own, instead of the configuration's; an empty list leaves the experiment out."""
    context_lengths: list[Count] = Field(default=[])
    """The context lengths the table shows, in tokens; none where answers are counted."""
    comparisons: dict[Name, Name] = Field(default={})
    """For a variant, the one its improvement is measured against, paired by seed. One that is not
    among the variants is ignored, as in ``budgets``."""
    metric: Metric = "perplexity"
    """What the table and its figure are about. Bits per byte come with the loss at each position
    of a window, ``results/loss_by_position.csv``."""
    steps: list[Count] = Field(default=[])
    """Where the table is about training: the steps whose validation loss it shows."""
    continues: Continuation | None = None
    """Whether every run writes on, and from what."""


class Kernels(Settings):
    """The sweep over attention kernels and context lengths."""

    kernels: list[Literal["naive", "tiled", "flash", "memory_efficient", "cudnn"]] = Field(
        min_length=1
    )
    tokens: list[Count] = Field(min_length=1)
    width: Count = 512
    heads: Count = 8
    memory_budget_mib: Positive = 8_192
    """A point whose counted peak is higher is reported as out of memory, and not run."""
    workspace_mib: NonNegative = 8.125
    """Fixed workspace of the published device, added to what is counted."""
    repeats: Count = 5
    """Timed passes; the median is reported."""
    exclusive: bool = True
    """Whether a point has all cores to itself, so that its time is not that of its neighbours."""

    @model_validator(mode="after")
    def _heads_divide_width(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"heads: {self.heads} heads do not divide the width of {self.width}")
        return self


class ParameterCount(Settings):
    """A model whose parameters are counted, though it is not trained."""

    variant: Name
    vocabulary: Count
    drawn: bool = True
    """Whether the figure has a bar for it."""
