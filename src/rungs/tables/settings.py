"""The settings of tables and claims: what was configured, as far as they need it.

It travels as canonical JSON in a file that a job's command names: a table is written again when,
and only when, something in it changes.
"""

from typing import Annotated, Literal

from pydantic import Field

from rungs.corpus.referents import Version
from rungs.model.architecture import Architecture
from rungs.settings import Count, Name, NonNegative, Positive, Settings
from rungs.training.budget import Budget

Metric = Literal["perplexity", "bits_per_byte"]
"""What an experiment's rows are compared by; lower is better."""


class CorpusSetting(Settings):
    """What decides the tokens."""

    sha256: str | None
    vocabulary: Count
    validation_fraction: float
    version: Version | None = None
    """Of the referent language."""
    stories: Count | None = None
    """How many are read, from the beginning of a file of stories."""
    validation_stories: Count | None = None


class LayerSetting(Settings):
    """The attention layer of the kernel sweep."""

    width: Count
    heads: Count
    memory_budget_mib: Positive
    workspace_mib: NonNegative


class Model(Settings):
    """A model that is counted."""

    architecture: Architecture
    vocabulary: Count


class NamedModel(Model):
    """A model that a table shows."""

    model: str
    label: str


NamedModels = Annotated[
    list[NamedModel], 'JSON list of {"model", "label", "architecture", "vocabulary"}'
]


class Row(Settings):
    """One variant of an experiment."""

    variant: Name
    label: str
    architecture: Architecture
    budget: Budget | None = None
    """Where it is not the experiment's."""
    corpus: CorpusSetting | None = None
    """Where it is not the experiment's."""


class ExperimentSettings(Settings):
    """One experiment: its table's rows in order, and what they were trained on."""

    corpus: CorpusSetting
    budget: Budget
    context_lengths: list[Count]
    metric: Metric = "perplexity"
    steps: list[Count] = Field(default=[])
    comparisons: dict[Name, Name] = Field(default={})
    rows: list[Row]


class ProbeSettings(Settings):
    """What one probe's numbers depend on; nothing, where all is fixed in the probe."""

    sizes: dict[Name, Count] = Field(default={})
    """How much it measures."""
    corpus: CorpusSetting | None = None
    architectures: dict[Name, Architecture] = Field(default={})
    """By variant."""
    published: "ProbeSettings | None" = None
    """What its published numbers hold for."""


COMMAND = "snakemake --cores all"
"""Makes whatever target follows it, with the configuration as shipped."""


class ReadingSetting(Settings):
    """What a reading puts in the place of what the default has."""

    name: Name
    standing: str
    tables: dict[Name, Name] = Field(default={})
    """For an experiment, its own under the reading."""
    corpora: dict[Name, Name] = Field(default={})
    variants: dict[Name, Name] = Field(default={})
    columns: dict[Name, dict[Name, Name]] = Field(default={})
    """For the table of a probe or an experiment, columns."""


class ClaimSettings(Settings):
    """Everything that the published claims depend on."""

    command: str = COMMAND
    """Makes whatever target follows it, as this workflow was started."""

    corpora: dict[Name, CorpusSetting]
    experiments: dict[Name, ExperimentSettings]
    layer: LayerSetting
    probes: dict[Name, ProbeSettings] = Field(default={})
    models: dict[Name, Model]
    """The models that are counted and not trained."""
    readings: list[ReadingSetting] = Field(default=[])
    left_out: dict[str, str] = Field(default={})
    """The experiments that are no part of this run, and the corpora that only they read (as
    ``corpus NAME``), each with what would make it one. What another run made of them is not judged:
    no rule would notice when it changes."""
