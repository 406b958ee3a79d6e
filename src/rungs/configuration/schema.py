"""The keys of the whole configuration, and the questions that the workflow asks of it."""

import json
from collections.abc import Mapping
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from rungs.configuration.corpora import Corpus, ReferentCorpus
from rungs.configuration.experiments import Chapter, Experiment, Kernels, ParameterCount, Variant
from rungs.configuration.readings import Reading, under_readings
from rungs.configuration.words import Seed, Text
from rungs.probes.settings import Probes
from rungs.settings import Count, Name, Settings
from rungs.training.budget import Budget


class Run(NamedTuple):
    """The address of one run: one variant, trained once."""

    corpus: str
    budget: str
    variant: str
    seed: int


class Schema(Settings):
    """All keys of ``config.yaml``, and what follows from them."""

    seeds: list[Seed] = Field(min_length=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    archive: Text | None = None
    """A folder, relative to the repository: runs that it has with the settings they have here are
    taken from it, not trained."""
    chapters: list[Chapter] = Field(default=["attention", "gpt"], min_length=1)
    """What `snakemake` without a target makes, and the report waits for. Everything that is
    configured can be asked for by its file's name."""
    context_lengths: list[Count] = Field(min_length=1)
    """The context lengths every run is evaluated at, as far as its positions reach."""
    corpora: dict[Name, Corpus]
    budgets: dict[Name, Budget]
    variants: dict[Name, Variant]
    experiments: dict[Name, Experiment] = Field(min_length=1)
    kernels: Kernels
    probes: Probes
    parameter_counts: list[ParameterCount] = Field(default=[])
    readings: list[Reading] = Field(default=[])
    """What the text leaves open, answered another way: experiments of their own, judged beside
    the default."""

    @model_validator(mode="after")
    def _add_experiments_of_readings(self) -> Self:
        added = self.read_experiments
        own = {name: e for name, e in self.experiments.items() if name not in added}
        for name, read in under_readings(self.readings, own):
            if self.experiments.setdefault(name, read) != read:
                raise ValueError(
                    f"experiments.{name}: a reading's experiment has this name; choose another"
                )
        return self

    @property
    def read_experiments(self) -> set[str]:
        """The experiments that readings add, by name."""
        read = (name for name, _ in under_readings(self.readings, self.experiments))
        return {name for name in read if name in self.experiments}  # A reading's is not read again.

    claims: list[Text] = Field(default=[])
    """Files, relative to the repository, with published numbers of a reader's own (docs/claims.md):
    judged by the configured experiments, beside the chapters'."""

    def wanted(self) -> list[str]:
        """Return the experiments of the wanted chapters, less those without a seed."""
        return [
            name
            for name, e in self.experiments.items()
            if e.chapter in self.chapters and self.seeds_of(name)
        ]

    def used_corpora(self) -> list[str]:
        """Return the corpora that the wanted experiments' runs and the probes read."""
        runs = (run for experiment in self.wanted() for run in self.runs(experiment))
        return sorted({self.probes.gradient_norms.corpus, *(run.corpus for run in runs)})

    def kind(self, experiment: str) -> Literal["answers", "steps", "scores"]:
        """Return what the experiment's table holds: right answers, losses by step, or scores."""
        if self.counts_answers(experiment):
            return "answers"
        return "steps" if self.experiments[experiment].steps else "scores"

    def measured_in_bytes(self) -> str | None:
        """Return the experiment about bits per byte; there is at most one, readings apart."""
        names = (name for name, e in self.experiments.items() if e.metric == "bits_per_byte")
        return next(names, None)

    def members(self, experiment: str) -> list[str]:
        """Return the experiment's variants in table order, those that join it last, by name."""
        joining = sorted(name for name, v in self.variants.items() if experiment in v.joins)
        return [*self.experiments[experiment].variants, *joining]

    def runs(self, experiment: str) -> list[Run]:
        """Return every run behind the experiment's table."""
        e = self.experiments[experiment]
        return [
            Run(
                self.corpus_of(variant, experiment), e.budgets.get(variant, e.budget), variant, seed
            )
            for variant in self.members(experiment)
            for seed in self.seeds_of(experiment)
        ]

    def corpus_of(self, variant: str, experiment: str) -> str:
        """Return the corpus that the experiment trains the variant on."""
        e = self.experiments[experiment]
        return e.corpora.get(variant, e.corpus)

    def seeds_of(self, experiment: str) -> list[int]:
        """Return the seeds of every variant of the experiment."""
        own = self.experiments[experiment].seeds
        return self.seeds if own is None else own

    def trained_as_configured(self, run: Run, description: Mapping[str, object]) -> bool:
        """Say whether a ``run.json`` has the run's architecture, budget and seed of here."""
        wanted = {
            "architecture": json.loads(self.variants[run.variant].architecture()),
            "budget": json.loads(self.budgets[run.budget].canonical()),
            "seed": run.seed,
        }
        return all(description.get(key) == value for key, value in wanted.items())

    def counts_answers(self, experiment: str) -> bool:
        """Say whether the experiment is about a language with right answers, not perplexity."""
        return isinstance(self.corpora[self.experiments[experiment].corpus], ReferentCorpus)

    def mapped_variant(self, experiment: str) -> str | None:
        """Return the variant whose attention is drawn: the deepest that has any, the first such."""
        members = self.members(experiment)
        attending = [name for name in members if self.variants[name].mixer == "attention"]
        return max(attending, key=lambda name: self.variants[name].depth, default=None)

    def evaluated_lengths(self, variant: str) -> list[int]:
        """Return the context lengths the variant's position table reaches, ascending."""
        rows = self.variants[variant].position_rows
        return sorted(n for n in set(self.context_lengths) if rows is None or n <= rows)

    def observed(self, run: Run) -> bool:
        """Say whether the run's attention is observed while it trains: it needs to have some."""
        budget, variant = self.budgets[run.budget], self.variants[run.variant]
        return budget.observe_attention and variant.mixer == "attention"

    def longest_window(self, run: Run) -> int:
        """Return the most tokens that the run reads at once, trained or evaluated."""
        trained = self.budgets[run.budget].context_length
        if isinstance(self.corpora[run.corpus], ReferentCorpus):
            return trained
        return max([trained, *self.evaluated_lengths(run.variant)])

    def unused_variants(self) -> list[str]:
        """Return the variants that nothing trains, counts or measures."""
        probes = self.probes
        used = {
            *(variant for name in self.experiments for variant in self.members(name)),
            *(count.variant for count in self.parameter_counts),
            *(*probes.gradient_norms.variants, *probes.language_models.variants),
        }
        return [name for name in self.variants if name not in used]

    def label(self, variant: str, experiment: str | None = None) -> str:
        """Return what tables and figures call the variant, in one experiment or anywhere."""
        if experiment is not None and variant in self.experiments[experiment].labels:
            return self.experiments[experiment].labels[variant]
        return self.variants[variant].label or variant.replace("_", " ")
