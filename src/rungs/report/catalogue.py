"""Every figure, declared once: what draws it, from what, its caption, and where it stands.

The rules that draw, the command line, the targets, the captions of the page and of Snakemake's own
report follow from here. Read while the graph of jobs is built, hence without torch and pandas.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rungs.report.labels import METRICS
from rungs.tables.numbers import INTERVAL

if TYPE_CHECKING:
    from rungs.config import Config

SEED_DIFFERENCES = "Each seed's difference (dots) as a multiple of the published one (hollow)."
LUCK = (
    "The grey bar is what one seed shows by luck, 19 times in 20, where there is no difference at "
    "all: a published difference inside it is one that a single seed could not tell from none."
)

Asked = Callable[["Config", str], Any]
"""Asked of the configuration and an experiment's name, which is empty where there is none."""


class Argument(NamedTuple):
    """What a drawing is told on its command line; paths are what its rule reads."""

    value: Asked
    """A path, a word, a number, a list of those, or a dictionary, which travels as JSON."""
    help: str
    type: Callable[[str], object] = str
    several: bool = False


@dataclass(frozen=True)
class Figure:
    """One kind of figure.

    Attributes:
        drawing: the module below ``rungs.report.figures``.
        draws: what its stage does, in words.
        doing: what a job says while it draws; ``{}`` is the experiment.
        arguments: by name, without those of the outputs.
        caption: the caption, or how it follows from the configuration.
        category: where Snakemake's own report lists it.
        label: what that list calls it, or how it follows from the configuration.
        subject: what that list says it is about; the experiment where it is empty.
        name: of its files, without their ending; ``{}`` is the experiment.
        shows: whether it shows an experiment; None if it shows none.
        section: the anchor of its section of the page; the experiment's own where it is empty.
    """

    drawing: str
    draws: str
    doing: str
    arguments: dict[str, Argument]
    caption: str | Asked
    label: str | Asked
    category: str = "Experiments"
    subject: str = ""
    name: str = "{}"
    shows: Asked | None = None
    section: str = ""

    @property
    def module(self) -> str:
        """The module that draws it, whose code it depends on."""
        return f"rungs.report.figures.{self.drawing}"

    @property
    def stage(self) -> str:
        """The word of the command line."""
        return f"figure-{self.drawing}".replace("_", "-")

    @cached_property
    def one_each(self) -> bool:
        """Whether every experiment that it shows has one of its own."""
        return "{}" in self.name

    def experiments(self, config: "Config") -> list[str]:
        """Return the experiments that it shows."""
        return [name for name in config.experiments if self.shows and self.shows(config, name)]

    def captioned(self, config: "Config", experiment: str = "") -> tuple[str, str]:
        """Return the name and the caption of the figure, of an experiment with seeds."""
        return self.name.format(experiment), _asked(self.caption, config, experiment)

    def labelled(self, config: "Config", experiment: str) -> dict[str, str]:
        """Return the labels of Snakemake's own report."""
        label = _asked(self.label, config, experiment)
        return {"experiment": self.subject or experiment, "figure": label}

    def values(self, config: "Config", experiment: str, *, paths: bool) -> dict[str, Any]:
        """Return the values of those arguments that are paths, or of the others."""
        return {
            name: argument.value(config, experiment)
            for name, argument in self.arguments.items()
            if (argument.type is Path) == paths
        }

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of its stage."""
        outputs = {
            "svg": Argument(_nothing, "the figure as SVG", Path),
            "png": Argument(_nothing, "the figure as PNG", Path),
        }
        for name, argument in {**self.arguments, **outputs}.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", type=argument.type, required=True,
                nargs="+" if argument.several else None, help=argument.help,
            )  # fmt: skip


def figures_of(config: "Config", experiment: str, section: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and captions of an experiment's figures that stand in a section."""
    for figure in FIGURES:
        if figure.section == section and figure.shows and figure.shows(config, experiment):
            yield figure.captioned(config, experiment)


def figures_in(config: "Config", section: str) -> list[tuple[str, str]]:
    """Return the names and captions of a section's figures that show no experiment."""
    return [
        figure.captioned(config)
        for figure in FIGURES
        if figure.section == section and not figure.shows
    ]


def _asked(value: str | Asked, config: "Config", experiment: str) -> Any:
    return value(config, experiment) if callable(value) else value


def _nothing(_config: "Config", _experiment: str) -> None:
    """Return nothing: where a figure goes is the rule's to say."""


def _scored(config: "Config", name: str) -> bool:
    return config.kind(name) == "scores"


def _one_length(config: "Config", name: str) -> bool:
    return len(config.experiments[name].context_lengths) == 1


def _answers(config: "Config", name: str) -> bool:
    return config.kind(name) == "answers"


def _observed(config: "Config", name: str) -> bool:
    """Say whether runs of it are observed; of an experiment that is left out, nobody knows."""
    return not config.seeds_of(name) or any(map(config.observed, config.runs(name)))


def _histories(config: "Config", name: str, *, observed: bool = False) -> list[str]:
    from rungs.archive.archived import address

    return [
        f"results/runs/{address(run)}/history.jsonl"
        for run in config.runs(name)
        if not observed or config.observed(run) or config.kind(name) == "steps"
    ]


def _mapped(config: "Config", name: str) -> str:
    """Return the evaluation whose attention is drawn: maps of several models do not average."""
    from rungs.archive.archived import address

    variant = config.mapped_variant(name)
    first = next(run for run in config.runs(name) if run.variant == variant)
    return f"results/evaluations/{address(first)}.json"


def _mapped_model(config: "Config", name: str) -> str:
    variant = config.mapped_variant(name)
    assert variant is not None, "the configuration was validated"
    return f"{config.label(variant, name)}, seed {config.seeds_of(name)[0]}, mean over heads"


def _drawn_models(config: "Config", _name: str) -> list[str]:
    listed = (entry.variant for entry in config.parameter_counts if entry.drawn)
    return [*config.members(next(iter(config.experiments))), *listed]


def _spread(config: "Config", name: str) -> str:
    return f", with its {INTERVAL} over seeds" if len(config.seeds_of(name)) > 1 else ", one seed"


def _of_rows(config: "Config", name: str) -> str:
    experiment = config.experiments[name]
    caption = f"Validation {METRICS[experiment.metric]} of each row{_spread(config, name)}."
    generated = config.corpora[experiment.corpus].source == "generated"
    if generated and experiment.metric == "perplexity":
        caption += (
            " The dashed line is the perplexity that no model of this corpus can beat: the "
            "entropy rate of its text is known."
        )
    return caption


def _of_curves(config: "Config", name: str) -> str:
    title = config.experiments[name].title
    stop = "" if title.endswith((".", "?", "!")) else "."
    several = len(config.seeds_of(name)) > 1
    lines = "the mean over seeds, and each seed as a thin line." if several else "one seed."
    return f"{title}{stop} Validation loss during training: {lines}"


def _result(path: str) -> Argument:
    return Argument(lambda _config, name: f"results/{path.format(name)}", path, Path)


TABLE = {"table": Argument(lambda _, name: f"results/{name}.csv", "an experiment's table", Path)}
TITLE = {"title": Argument(lambda config, name: config.experiments[name].title, "the experiment's")}
EVALUATION = {"evaluation": Argument(_mapped, "of a run, JSON", Path)}

FIGURES = (
    Figure(
        "rows",
        "draw an experiment at one context length",
        doing="Drawing {}",
        arguments={
            **TABLE,
            "corpus": Argument(
                lambda config, name: (
                    f"results/corpus/{config.experiments[name].corpus}/summary.json"
                ),
                "the corpus's summary.json",
                Path,
            ),
            "metric": Argument(
                lambda config, name: config.experiments[name].metric, " or ".join(METRICS)
            ),
            **TITLE,
        },
        caption=_of_rows,
        label=lambda config, name: METRICS[config.experiments[name].metric],
        shows=lambda config, name: _scored(config, name) and _one_length(config, name),
    ),
    Figure(
        "lengths",
        "draw an experiment at several lengths",
        doing="Drawing {}",
        arguments={
            **TABLE,
            "trained_length": Argument(
                lambda config, name: (
                    config.budgets[config.experiments[name].budget].context_length
                ),
                "tokens per training window",
                int,
            ),
            **TITLE,
        },
        caption=lambda config, name: (
            f"Validation perplexity against context length{_spread(config, name)}."
        ),
        label="perplexity",
        shows=lambda config, name: _scored(config, name) and not _one_length(config, name),
    ),
    Figure(
        "steps",
        "draw losses at several steps",
        doing="Drawing {}",
        arguments={**TABLE, **TITLE},
        caption=lambda config, name: (
            f"Validation loss by training step{_spread(config, name)}; a logarithmic axis."
        ),
        label="loss by step",
        shows=lambda config, name: config.kind(name) == "steps",
    ),
    Figure(
        "answers",
        "draw who names the referent",
        doing="Drawing the answers of {}",
        arguments={**TABLE, **TITLE},
        caption="What each model answers to the held-out sentences.",
        label="answers",
        shows=_answers,
    ),
    Figure(
        "attention",
        "draw what a model looks at when it answers",
        doing="Drawing what {} looks at when it answers",
        arguments={**EVALUATION, **TITLE},
        caption=lambda config, name: (
            "What the position that has to name the referent looks at, in two held-out sentences "
            f"that differ in one word ({_mapped_model(config, name)})."
        ),
        label="attention when answering",
        name="{}_attention",
        shows=_answers,
    ),
    Figure(
        "maps",
        "draw whole attention maps",
        doing="Drawing the attention maps of {}",
        arguments={**EVALUATION, **TITLE},
        caption=lambda config, name: (
            "The whole maps of both sentences: each row is a position, and shows what it looks at "
            f"({_mapped_model(config, name)}). Rows before the adjective are the same in both, "
            "since no position sees what comes later."
        ),
        label="attention maps",
        name="{}_maps",
        shows=_answers,
    ),
    Figure(
        "sharpness",
        "draw how sharply heads attend during training",
        doing="Drawing how sharply the runs of {} attend",
        arguments={
            "histories": Argument(
                lambda config, name: _histories(config, name, observed=True),
                "of the runs that were observed, .../VARIANT/seedSEED/history.jsonl",
                Path,
                several=True,
            ),
            **TABLE,
            **TITLE,
        },
        caption=(
            "How far the scores spread, and how many tokens a row averages over, through "
            "training, on windows of the validation split."
        ),
        label="sharpness of attention",
        name="{}_sharpness",
        shows=_observed,
    ),
    Figure(
        "loss_by_position",
        "draw the loss at each position of a window, and the gain",
        doing="Drawing the loss at each position",
        arguments={"table": _result("loss_by_position.csv"), **TITLE},
        caption=(
            "Loss at each position of a window, where a model has read so many tokens of it, and "
            "what is gained there."
        ),
        label="loss by position",
        name="loss_by_position",
        shows=lambda config, name: name == config.measured_in_bytes(),
    ),
    Figure(
        "learning_curves",
        "draw the validation losses during training",
        doing="Drawing the learning curves of {}",
        arguments={
            "histories": Argument(
                _histories,
                "the experiment's .../VARIANT/seedSEED/history.jsonl, variants in order",
                Path,
                several=True,
            ),
            "labels": Argument(
                lambda config, name: {
                    variant: config.label(variant, name) for variant in config.members(name)
                },
                "JSON: what to call each variant",
            ),
            **TITLE,
        },
        caption=_of_curves,
        label="learning curves",
        name="{}_learning_curves",
        shows=lambda _config, _name: True,
        section="learning-curves",
    ),
    Figure(
        "mask",
        "draw the mask and an untrained head",
        doing="Drawing what a position sees",
        arguments={"mask": _result("mask.csv"), "attention": _result("untrained_attention.csv")},
        caption=(
            "Left, the mask of 8 tokens. Right, what the first head of the GPT makes of it before "
            "any training, in the chapter's sentence: each weight its mean over initialisations. "
            "The table has each initialisation's smallest and largest weight, and their means."
        ),
        category="Probes",
        subject="mask",
        label="what a position sees",
        name="mask",
        section="what-a-position-sees",
    ),
    Figure(
        "averaging",
        "draw the averaging matrix",
        doing="Drawing the average as a matrix",
        arguments={"table": _result("averaging.csv"), "matrix": _result("averaging_matrix.csv")},
        caption=(
            "Left, the weight that each position's average gives to each token. Right, the largest "
            "difference between two computations; hollow marks are published."
        ),
        category="Probes",
        subject="averaging",
        label="matrix and differences",
        name="averaging",
        section="the-average",
    ),
    Figure(
        "variance",
        "draw the spread of dot products",
        doing="Drawing the spread of dot products",
        arguments={"table": _result("variance.csv")},
        caption="The standard deviation of a dot product, and its variance over the width.",
        category="Probes",
        subject="variance",
        label="spread of dot products",
        name="variance",
        section="why-scores-are-divided",
    ),
    Figure(
        "saturation",
        "draw where a softmax saturates",
        doing="Drawing where a softmax saturates",
        arguments={"table": _result("saturation.csv")},
        caption=(
            "The softmax of 64 random scores against the width: undivided, it begins to choose at "
            "small widths and is frozen in most rows at the largest."
        ),
        category="Probes",
        subject="saturation",
        label="where large begins",
        name="saturation",
        section="why-scores-are-divided",
    ),
    Figure(
        "gradient_norms",
        "draw each block's gradient norm",
        doing="Drawing gradients at initialisation",
        arguments={
            "table": _result("gradient_norms.csv"),
            "labels": Argument(
                lambda config, _name: {
                    variant: config.label(variant)
                    for variant in config.probes.gradient_norms.variants
                },
                "JSON: what to call each variant",
            ),
        },
        caption="The gradient norm of each block before any step, with its interval.",
        category="Probes",
        subject="gradient norms",
        label="norm by block",
        name="gradient_norms",
        section="gradient-norms",
    ),
    Figure(
        "cost",
        "draw what attention costs",
        doing="Drawing what attention costs",
        arguments={
            "table": _result("memory.csv"),
            "exponents": _result("exponents.csv"),
            "memory_budget_mib": Argument(
                lambda config, _name: config.kernels.memory_budget_mib,
                "above it, a point did not run",
                float,
            ),
        },
        caption="Peak memory and time against the number of tokens; exponents are log-log fits.",
        category="Cost",
        subject="kernels",
        label="memory and time",
        name="cost",
        section="cost-of-attention",
    ),
    Figure(
        "parameters",
        "draw where the parameters are",
        doing="Drawing where the parameters are",
        arguments={
            "table": _result("parameters.csv"),
            "models": Argument(_drawn_models, "models to draw, in order", several=True),
        },
        caption="Each component's share of a model's parameters.",
        category="Cost",
        subject="parameters",
        label="shares",
        name="parameters",
        section="parameter-counts",
    ),
    Figure(
        "seed_noise",
        "draw published differences beside luck",
        doing="Drawing what one seed can tell",
        arguments={"table": _result("seed_noise.csv")},
        caption=f"{SEED_DIFFERENCES} {LUCK}",
        category="Seeds",
        subject="published differences",
        label="what one seed can tell",
        name="seed_noise",
        section="seed-noise",
    ),
)  # fmt: skip
STAGES = {figure.stage: figure for figure in FIGURES}
