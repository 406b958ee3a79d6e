"""The whole configuration: its schema, its defaults, and what it refuses.

``config.yaml`` is merged by Snakemake with any ``--configfile`` and ``--config`` and validated
here before a job starts. Everything a job needs of it travels as canonical JSON in the job's
command, so that a job reruns when, and only when, its own settings change.
"""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import yaml
from pydantic import Field, StringConstraints, ValidationError, model_validator

from rungs.corpus.referents import VOCABULARY, WORDS, Version
from rungs.errors import UserError
from rungs.generation.settings import Continuation
from rungs.model.architecture import Architecture
from rungs.probes import PROBES
from rungs.probes.settings import Probes
from rungs.refusals import Source, refusals
from rungs.settings import Count, CountOrZero, Fraction, Name, NonNegative, Positive, Settings
from rungs.tables.settings import Metric
from rungs.training.budget import Budget

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Address = Annotated[str, StringConstraints(pattern=r"^(https?|file)://[^\s'\"]+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Seed = Annotated[CountOrZero, Field(lt=2**31)]
Share = Annotated[Fraction, Field(ge=0.001, le=0.9)]
Vocabulary = Annotated[Count, Field(ge=257, le=65_536)]


class DownloadedCorpus(Settings):
    """A text fetched from the first public address that answers, or found in ``data/``."""

    source: Literal["download"]
    title: Text
    addresses: list[Address] = Field(default=[])
    """None where only ``data/`` can hold the file."""
    sha256: Sha256
    file_name: FileName
    """The name under which ``data/`` may hold the file, so that no network is needed."""
    vocabulary: Vocabulary
    validation_fraction: Share = 0.1


class GeneratedCorpus(Settings):
    """A synthetic text whose entropy rate is known in closed form."""

    source: Literal["generated"]
    title: Text
    stories: Count
    seed: Seed = 0
    vocabulary: Vocabulary
    validation_fraction: Share = 0.1


class ReferentCorpus(Settings):
    """Every sentence of a language with a right answer, one token a word."""

    source: Literal["referents"]
    title: Text
    version: Version
    """Whether the words of a sentence are enough for the answer, without their order."""
    seed: Seed = 0
    validation_fraction: Share = 0.25
    """The share of the ordered pairs of nouns that is held out."""

    @property
    def vocabulary(self) -> int:
        """The words of the language."""
        return len(VOCABULARY)


class TextFile(Settings):
    """A large text fetched from the first public address that answers, or found in ``data/``."""

    addresses: list[Address] = Field(min_length=1)
    sha256: Sha256
    file_name: FileName
    """The name under which ``data/`` may hold the file, so that no network is needed."""


class StoriesCorpus(Settings):
    """The first stories of a large file, with a validation file of its own."""

    source: Literal["stories"]
    title: Text
    train: TextFile
    validation: TextFile
    stories: Count = 200_000
    """How many are read, from the beginning of the training file."""
    validation_stories: Count | None = None
    """How many are scored, from the beginning of the validation file; by default all."""
    vocabulary: Vocabulary
    """Entries of the tokenizer, the end-of-text marker included."""

    @property
    def sha256(self) -> str:
        """Of the training file, which stands for both."""
        return self.train.sha256

    @property
    def validation_fraction(self) -> float:
        """None of the training file is held out."""
        return 0.0


Corpus = Annotated[
    DownloadedCorpus | GeneratedCorpus | ReferentCorpus | StoriesCorpus,
    Field(discriminator="source"),
]


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
    seeds: list[Seed] = Field(default=[])
    """Its own, instead of the configuration's."""
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


# Results of other stages have these names in the same folder.
RESERVED = {
    *("blocks", "claims", "corpus", "cost", "exponents", "memory", "observations", "parameters"),
    *PROBES,
    *("loss_by_position", "seed_noise"),
}
FIGURE_ENDINGS = ("_learning_curves", "_sharpness", "_attention", "_maps", "_samples")


class Run(NamedTuple):
    """The address of one run: one variant, trained once."""

    corpus: str
    budget: str
    variant: str
    seed: int


class Config(Settings):
    """All of ``config.yaml``."""

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

    def wanted(self) -> list[str]:
        """Return the experiments of the wanted chapters."""
        return [name for name, e in self.experiments.items() if e.chapter in self.chapters]

    def kind(self, experiment: str) -> Literal["answers", "steps", "scores"]:
        """Return what the experiment's table holds: right answers, losses by step, or scores."""
        if self.counts_answers(experiment):
            return "answers"
        return "steps" if self.experiments[experiment].steps else "scores"

    def measured_in_bytes(self) -> str | None:
        """Return the experiment about bits per byte; there is at most one."""
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
            Run(e.corpora.get(variant, e.corpus), e.budgets.get(variant, e.budget), variant, seed)
            for variant in self.members(experiment)
            for seed in self.seeds_of(experiment)
        ]

    def seeds_of(self, experiment: str) -> list[int]:
        """Return the seeds of every variant of the experiment."""
        return self.experiments[experiment].seeds or self.seeds

    def trained_as_configured(self, run: Run, description: Mapping[str, object]) -> bool:
        """Say whether a ``run.json`` has the architecture and the budget that the run has here."""
        wanted = {
            "architecture": json.loads(self.variants[run.variant].architecture()),
            "budget": json.loads(self.budgets[run.budget].canonical()),
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

    def label(self, variant: str, experiment: str | None = None) -> str:
        """Return what tables and figures call the variant, in one experiment or anywhere."""
        if experiment is not None and variant in self.experiments[experiment].labels:
            return self.experiments[experiment].labels[variant]
        return self.variants[variant].label or variant.replace("_", " ")

    @model_validator(mode="after")
    def _refuse_inconsistencies(self) -> Self:
        problems = [
            *self._duplicates(),
            *self._unknown_names(),
        ]
        if not problems:
            problems = [
                *self._equal_labels(),
                *self._contexts_beyond_position_tables(),
                *self._variants_without_gradient_norms(),
                *self._unmeasurable_language_models(),
                *self._several_in_bytes(),
                *self._unsuited_to_their_corpus(),
            ]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _duplicates(self) -> Iterator[str]:
        lists: dict[str, list[Any]] = {
            "seeds": self.seeds,
            "chapters": self.chapters,
            "probes.language_models.variants": self.probes.language_models.variants,
            "context_lengths": self.context_lengths,
            "kernels.kernels": self.kernels.kernels,
            "kernels.tokens": self.kernels.tokens,
            "probes.widths": self.probes.widths,
            "probes.gradient_norms.variants": self.probes.gradient_norms.variants,
        }
        for name in self.experiments:
            lists[f"experiments.{name}.variants"] = self.members(name)
            lists[f"experiments.{name}.context_lengths"] = self.experiments[name].context_lengths
            lists[f"experiments.{name}.seeds"] = self.experiments[name].seeds
            lists[f"experiments.{name}.steps"] = self.experiments[name].steps
        for path, entries in lists.items():
            repeated = sorted({str(entry) for entry in entries if entries.count(entry) > 1})
            if repeated:
                yield f"{path}: {', '.join(repeated)} is listed twice; list it once"

    def _equal_labels(self) -> Iterator[str]:
        for name in self.experiments:
            named: dict[str, str] = {}
            for variant in self.members(name):
                other = named.setdefault(self.label(variant, name), variant)
                if other != variant:
                    yield (
                        f"experiments.{name}: {other} and {variant} have one label, "
                        f"{self.label(variant, name)}; change one of them, or use "
                        f"experiments.{name}.labels"
                    )

    def _unknown_names(self) -> Iterator[str]:
        def unknown(path: str, name: str, section: str, known: Any) -> Iterator[str]:
            if name not in known:
                yield (
                    f"{path}: there is no {name} under {section}; "
                    f"known are {', '.join(sorted(known)) or 'none'}"
                )

        for name, e in self.experiments.items():
            path = f"experiments.{name}"
            if name in RESERVED or name.endswith(FIGURE_ENDINGS):
                yield f"{path}: another result has this name; choose another"
            yield from unknown(f"{path}.corpus", e.corpus, "corpora", self.corpora)
            yield from unknown(f"{path}.budget", e.budget, "budgets", self.budgets)
            for variant in e.variants:
                yield from unknown(f"{path}.variants", variant, "variants", self.variants)
            for variant in e.labels:
                yield from unknown(f"{path}.labels", variant, "variants", self.variants)
            for variant, budget in e.budgets.items():
                yield from unknown(f"{path}.budgets", variant, "variants", self.variants)
                yield from unknown(f"{path}.budgets.{variant}", budget, "budgets", self.budgets)
            for variant, corpus in e.corpora.items():
                yield from unknown(f"{path}.corpora", variant, "variants", self.variants)
                yield from unknown(f"{path}.corpora.{variant}", corpus, "corpora", self.corpora)
            for variant, reference in e.comparisons.items():
                if variant == reference:
                    yield f"{path}.comparisons: {variant} is compared with itself"
                for end in (variant, reference):
                    yield from unknown(f"{path}.comparisons", end, "variants", self.variants)
            for length in e.context_lengths:
                if length not in self.context_lengths:
                    yield (
                        f"{path}.context_lengths: {length} is not evaluated; "
                        "add it to context_lengths"
                    )
        for name, variant_settings in self.variants.items():
            for experiment in variant_settings.joins:
                yield from unknown(
                    f"variants.{name}.joins", experiment, "experiments", self.experiments
                )
        gradient_norms = self.probes.gradient_norms
        path = "probes.gradient_norms"
        yield from unknown(f"{path}.corpus", gradient_norms.corpus, "corpora", self.corpora)
        for variant in gradient_norms.variants:
            yield from unknown(f"{path}.variants", variant, "variants", self.variants)
        language_models = self.probes.language_models
        path = "probes.language_models"
        yield from unknown(f"{path}.budget", language_models.budget, "budgets", self.budgets)
        for variant in language_models.variants:
            yield from unknown(f"{path}.variants", variant, "variants", self.variants)
        for index, count in enumerate(self.parameter_counts):
            yield from unknown(
                f"parameter_counts.{index}.variant", count.variant, "variants", self.variants
            )

    def _contexts_beyond_position_tables(self) -> Iterator[str]:
        for name, e in self.experiments.items():
            for variant in self.members(name):
                budget = self.budgets[e.budgets.get(variant, e.budget)]
                needed = max([budget.context_length, *e.context_lengths])
                rows = self.variants[variant].position_rows
                if rows is not None and rows < needed:
                    yield (
                        f"variants.{variant}.position_rows: {rows} rows, but experiment {name} "
                        f"reads contexts of {needed} tokens; give the table {needed} rows or more"
                    )

    def _variants_without_gradient_norms(self) -> Iterator[str]:
        length = self.probes.gradient_norms.context_length
        for name in self.probes.gradient_norms.variants:
            variant = self.variants[name]
            if variant.mixer != "attention" or not variant.output_projection:
                yield (
                    f"probes.gradient_norms.variants: {name} has no output projection; choose "
                    "variants with attention of several heads"
                )
            if variant.position_rows is not None and variant.position_rows < length:
                yield (
                    f"probes.gradient_norms.context_length: {name} has {variant.position_rows} "
                    f"position_rows, fewer than {length}"
                )

    def _unmeasurable_language_models(self) -> Iterator[str]:
        models = self.probes.language_models
        length = self.budgets[models.budget].context_length
        for name in models.variants:
            variant = self.variants[name]
            path = f"probes.language_models.variants: {name}"
            if not variant.causal:
                yield f"{path} sees the future; what a prefix says is asked of causal models"
            if variant.position_rows is not None and variant.position_rows < length:
                yield (
                    f"{path} has {variant.position_rows} position_rows, fewer than the {length} "
                    f"tokens of budgets.{models.budget}"
                )
        if not any(self.variants[name].mixer == "attention" for name in models.variants):
            yield "probes.language_models.variants: needs one with mixer: attention"

    def _several_in_bytes(self) -> Iterator[str]:
        names = [name for name, e in self.experiments.items() if e.metric == "bits_per_byte"]
        for name in names[1:]:
            yield (
                f"experiments.{name}.metric: {names[0]} is about bits per byte as well, and "
                "loss_by_position.csv is of one experiment; let its variants join that one"
            )

    def _unsuited_to_their_corpus(self) -> Iterator[str]:
        for name, e in self.experiments.items():
            path, answers = f"experiments.{name}", self.counts_answers(name)
            for run in self.runs(name):
                if isinstance(self.corpora[run.corpus], ReferentCorpus) != answers:
                    yield (
                        f"{path}.corpora.{run.variant}: {run.corpus} and {e.corpus} are measured "
                        "differently, by answers and by perplexity; make two experiments"
                    )
            if not answers and not e.context_lengths:
                yield f"{path}.context_lengths: is required and missing"
            yield from self._unsuited_to_their_kind(name)
            if answers:
                yield from self._unsuited_to_answers(name)

    def _unsuited_to_their_kind(self, name: str) -> Iterator[str]:
        e, path, kind = self.experiments[name], f"experiments.{name}", self.kind(name)
        if kind != "scores" and e.metric != "perplexity":
            yield f"{path}.metric: has no effect where answers are counted or steps are shown"
        if kind != "scores" and len(e.context_lengths) > 1:
            yield f"{path}.context_lengths: give one where steps are shown"
        if kind == "answers" and (e.steps or e.continues):
            yield f"{path}: steps and continues have no effect where answers are counted"
        if e.metric == "bits_per_byte" and len(e.context_lengths) > 1:
            yield f"{path}.context_lengths: give one for bits per byte"
        for budget_name in dict.fromkeys(run.budget for run in self.runs(name)):
            budget = self.budgets[budget_name]
            every = range(budget.validate_every, budget.steps, budget.validate_every)
            for step in e.steps:
                if step not in every and step != budget.steps:
                    yield (
                        f"{path}.steps: budget {budget_name} records no loss at step {step}; "
                        f"choose a multiple of its validate_every, {budget.validate_every}, "
                        f"or its last step, {budget.steps}"
                    )

    def _unsuited_to_answers(self, name: str) -> Iterator[str]:
        path = f"experiments.{name}"
        for key in ("context_lengths", "comparisons"):
            if getattr(self.experiments[name], key):
                yield f"{path}.{key}: has no effect where answers are counted; drop the key"
        if self.mapped_variant(name) is None:
            yield f"{path}.variants: needs one with mixer: attention, whose attention is drawn"
        for budget in dict.fromkeys(run.budget for run in self.runs(name)):
            chosen = self.budgets[budget]
            if (chosen.context_length, chosen.stride) != (len(WORDS), len(WORDS)):
                yield (
                    f"budgets.{budget}: a window must be one sentence of {path}; set "
                    f"context_length and stride to {len(WORDS)}"
                )
            if chosen.observe_attention:
                yield f"budgets.{budget}.observe_attention: is not shown of {path}; drop the key"


def parse_config(raw: dict[str, Any], sources: Sequence[Source] = ()) -> Config:
    """Validate a configuration as Snakemake or YAML files give it.

    Args:
        raw: the whole configuration.
        sources: the parts that it was merged from, to name the one that is wrong.

    Raises:
        UserError: one line for each problem, with the file, the key's path, and a way out.
    """
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        named = sources or [Source("config.yaml", raw)]
        raise UserError("\n".join(refusals(error, named))) from None


def parse_json_config(text: str, source: str) -> Config:
    """Validate a configuration that a command line gives as JSON.

    Raises:
        UserError: it is not JSON, or what it says is refused.
    """
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise UserError(f"{source}: is not valid JSON ({error})") from error
    return parse_config(raw, [Source(source, raw)])


def read_config(*paths: Path, values: Sequence[str] = ()) -> Config:
    """Read configuration files, later ones overriding earlier ones key by key, and validate.

    Args:
        paths: YAML files.
        values: what Snakemake's ``--config`` was given, ``KEY=VALUE``; they override the files.

    Raises:
        UserError: a file cannot be read, is not YAML, or the result is refused.
    """
    sources = [read_source(path) for path in paths]
    for word in values:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"--config {word}: give KEY=VALUE")
        # As Snakemake reads them: every nested value is a string.
        sources.append(Source("--config", {key: yaml.load(value, Loader=yaml.BaseLoader)}))  # noqa: S506
    merged: dict[str, Any] = {}
    for source in sources:
        _merge(merged, source.content)
    return parse_config(merged, sources)


def read_source(path: Path) -> Source:
    """Read one configuration file.

    Raises:
        UserError: it cannot be read, is not YAML, gives a key twice, or has no keys.
    """
    try:
        loaded = yaml.safe_load(path.read_bytes()) or {}
        refuse_duplicate_keys(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: is not valid YAML: {error}") from error
    if not isinstance(loaded, dict):
        raise UserError(f"{path}: has no keys; see config.yaml for the expected form")
    return Source(str(path), loaded)


def refuse_duplicate_keys(path: Path) -> None:
    """Refuse a YAML file that gives a key twice, of which every reader takes the last silently.

    Raises:
        UserError: names the file, the line and the key.
    """
    pending = [yaml.compose(path.read_bytes(), Loader=yaml.SafeLoader)]
    seen: set[int] = set()  # an anchor that refers to itself would be walked for ever
    while pending:
        node = pending.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
            continue
        keys = set()
        for key, value in node.value:
            if key.value in keys and key.tag != "tag:yaml.org,2002:merge":
                raise UserError(
                    f"{path}: line {key.start_mark.line + 1}: {key.value} is given twice; keep one"
                )
            keys.add(str(key.value))
            pending.append(value)


def _merge(base: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    """Merge as Snakemake does: dictionaries key by key, anything else replaced."""
    for key, value in overlay.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = copy.deepcopy(value)  # a later merge must not reach into its source
