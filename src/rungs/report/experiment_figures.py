"""The figures that show an experiment, in the order of its section."""

from typing import TYPE_CHECKING

from rungs.report.figure import Figure
from rungs.report.labels import METRICS, as_sentence
from rungs.tables.numbers import INTERVAL

if TYPE_CHECKING:
    from rungs.config import Config


def _scored(config: "Config", name: str) -> bool:
    return config.kind(name) == "scores"


def _one_length(config: "Config", name: str) -> bool:
    return len(config.experiments[name].context_lengths) == 1


def _answers(config: "Config", name: str) -> bool:
    return config.kind(name) == "answers"


def _observed(config: "Config", name: str) -> bool:
    """Say whether runs of it are observed; of an experiment that is left out, nobody knows."""
    return not config.seeds_of(name) or any(map(config.observed, config.runs(name)))


def _histories(
    config: "Config", name: str, *, observed: bool = False, file: str = "history.jsonl"
) -> list[str]:
    from rungs.archive.archived import address

    return [
        f"results/runs/{address(run)}/{file}"
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
    title = as_sentence(config.experiments[name].title)
    several = len(config.seeds_of(name)) > 1
    lines = "the mean over seeds, and each seed as a thin line." if several else "one seed."
    return f"{title} Validation loss during training: {lines}"


def _table(_config: "Config", name: str) -> str:
    return f"results/{name}.csv"


def _observations(_config: "Config", name: str) -> str:
    return f"results/observations/{name}.csv"


def _title(config: "Config", name: str) -> str:
    return config.experiments[name].title


EXPERIMENT_FIGURES = (
    Figure(
        "rows",
        "draw an experiment at one context length",
        doing="Drawing {}",
        reads={
            "table": _table,
            "observations": _observations,
            "corpus": lambda config, name: (
                f"results/corpus/{config.experiments[name].corpus}/summary.json"
            ),
        },
        told={"metric": lambda config, name: config.experiments[name].metric, "title": _title},
        caption=_of_rows,
        label=lambda config, name: METRICS[config.experiments[name].metric],
        name="{}",
        shows=lambda config, name: _scored(config, name) and _one_length(config, name),
    ),
    Figure(
        "lengths",
        "draw an experiment at several lengths",
        doing="Drawing {}",
        reads={"table": _table, "observations": _observations},
        told={
            "trained_length": lambda config, name: (
                config.budgets[config.experiments[name].budget].context_length
            ),
            "title": _title,
        },
        caption=lambda config, name: (
            f"Validation perplexity against context length{_spread(config, name)}."
        ),
        label="perplexity",
        name="{}",
        shows=lambda config, name: _scored(config, name) and not _one_length(config, name),
    ),
    Figure(
        "steps",
        "draw losses at several steps",
        doing="Drawing {}",
        reads={"table": _table, "observations": _observations},
        told={"title": _title},
        caption=lambda config, name: (
            f"Validation loss by training step{_spread(config, name)}; a logarithmic axis."
        ),
        label="loss by step",
        name="{}",
        shows=lambda config, name: config.kind(name) == "steps",
    ),
    Figure(
        "answers",
        "draw who names the referent",
        doing="Drawing the answers of {}",
        reads={"table": _table, "observations": _observations},
        told={"title": _title},
        caption="What each model answers to the held-out sentences.",
        label="answers",
        name="{}",
        shows=_answers,
    ),
    Figure(
        "attention",
        "draw what a model looks at when it answers",
        doing="Drawing what {} looks at when it answers",
        reads={"evaluation": _mapped},
        told={"title": _title},
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
        reads={"evaluation": _mapped},
        told={"title": _title},
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
        reads={
            "histories": lambda config, name: _histories(config, name, observed=True),
            "table": _table,
        },
        told={"title": _title},
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
        reads={"table": "results/loss_by_position.csv"},
        told={"title": _title},
        caption=(
            "Loss at each position of a window, where a model has read so many tokens of it, and "
            "what is gained there."
        ),
        label="loss by position",
        shows=lambda config, name: name == config.measured_in_bytes(),
    ),
    Figure(
        "learning_curves",
        "draw the validation losses during training",
        doing="Drawing the learning curves of {}",
        reads={
            "histories": _histories,
            "descriptions": lambda config, name: _histories(config, name, file="run.json"),
        },
        told={
            "labels": lambda config, name: {
                variant: config.label(variant, name) for variant in config.members(name)
            },
            "title": _title,
        },
        caption=_of_curves,
        label="learning curves",
        name="{}_learning_curves",
        shows=lambda _config, _name: True,
        section="learning-curves",
    ),
)
