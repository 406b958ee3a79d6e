"""Take from the whole configuration what tables and claims need; used by the workflow."""

from functools import cache

from rungs.config import Config
from rungs.configuration.corpora import Corpus, DownloadedCorpus, ReferentCorpus, StoriesCorpus
from rungs.model.architecture import Architecture
from rungs.probes import PROBES
from rungs.published.load import published_config
from rungs.tables.settings import (
    COMMAND,
    ClaimSettings,
    CorpusSetting,
    ExperimentSettings,
    LayerSetting,
    Model,
    ProbeSetting,
    ProbeSettings,
    ReadingSetting,
    Row,
)


def experiment_settings(config: Config, experiment: str) -> ExperimentSettings:
    """Return what the experiment's table needs of the configuration."""
    e = config.experiments[experiment]
    members = set(config.members(experiment))
    return ExperimentSettings(
        corpus=_corpus(config.corpora[e.corpus]),
        budget=config.budgets[e.budget],
        context_lengths=e.context_lengths,
        metric=e.metric,
        steps=e.steps,
        comparisons={
            variant: reference
            for variant, reference in e.comparisons.items()
            if {variant, reference} <= members
        },
        rows=[
            Row(
                variant=v,
                label=config.label(v, experiment),
                architecture=_architecture(config, v),
                budget=config.budgets[e.budgets[v]] if v in e.budgets else None,
                corpus=_corpus(config.corpora[e.corpora[v]]) if v in e.corpora else None,
            )
            for v in config.members(experiment)
        ],
    )


def probe_settings(config: Config, probe: str) -> ProbeSettings:
    """Return what the probe's table needs of the configuration."""
    probes, gradient_norms = config.probes, config.probes.gradient_norms
    models = probes.language_models
    match probe:
        case "variance":
            return ProbeSettings(sizes=ProbeSetting(pairs=probes.pairs))
        case "saturation":
            return ProbeSettings(sizes=ProbeSetting(rows=probes.rows))
        case "gradient_norms":
            return ProbeSettings(
                sizes=ProbeSetting(
                    batch_size=gradient_norms.batch_size,
                    context_length=gradient_norms.context_length,
                ),
                corpus=_corpus(config.corpora[gradient_norms.corpus]),
                architectures={v: _architecture(config, v) for v in gradient_norms.variants},
            )
        case "contexts" | "untrained_attention" | "cached_generation":
            budget = config.budgets[models.budget]
            sizes = {
                "contexts": ProbeSetting(
                    batch_size=budget.batch_size, context_length=budget.context_length
                ),
                "cached_generation": ProbeSetting(context_length=budget.context_length),
            }
            return ProbeSettings(
                sizes=sizes.get(probe, ProbeSetting()),
                architectures={v: _architecture(config, v) for v in models.variants},
            )
    return ProbeSettings()


def claim_settings(
    config: Config, command: str = COMMAND, *, readings: bool = False
) -> ClaimSettings:
    """Return what the claims need of the configuration, and of how the workflow was started.

    Args:
        config: the configuration.
        command: makes whatever target follows it.
        readings: whether the claims are judged under readings as well.
    """
    kernels = config.kernels
    if not readings:
        read = config.read_experiments
        own = {name: e for name, e in config.experiments.items() if name not in read}
        config = config.model_copy(update={"readings": [], "experiments": own})
    return ClaimSettings(
        command=command,
        corpora={name: _corpus(corpus) for name, corpus in config.corpora.items()},
        experiments={name: experiment_settings(config, name) for name in config.experiments},
        layer=LayerSetting(
            width=kernels.width,
            heads=kernels.heads,
            memory_budget_mib=kernels.memory_budget_mib,
            workspace_mib=kernels.workspace_mib,
        ),
        probes={probe: probe_settings(config, probe) for probe in PROBES},
        models={
            entry.variant: Model(
                architecture=_architecture(config, entry.variant), vocabulary=entry.vocabulary
            )
            for entry in config.parameter_counts
        },
        readings=[
            ReadingSetting(
                name=reading.name,
                standing=reading.standing,
                tables={
                    name: reading.experiment(name)
                    for name in config.experiments
                    if reading.experiment(name) in config.experiments
                },
                corpora=reading.corpora,
                variants=reading.variants,
                columns=reading.columns,
            )
            for reading in config.readings
        ],
        left_out=_left_out(config),
    )


@cache
def published_settings() -> ClaimSettings:
    """Return what the published numbers hold for."""
    return claim_settings(published_config())


def _left_out(config: Config) -> dict[str, str]:
    wanted, used = set(config.wanted()), set(config.used_corpora())
    changes = {name: _what_wants(config, name) for name in config.experiments if name not in wanted}
    corpora: dict[str, str] = {}
    for name, change in changes.items():
        for variant in config.members(name):
            if (corpus := config.corpus_of(variant, name)) not in used:
                corpora.setdefault(f"corpus {corpus}", change)
    return changes | corpora


def _what_wants(config: Config, experiment: str) -> str:
    """Say what makes an experiment part of the run that is left out of it."""
    chapter = config.experiments[experiment].chapter
    changes = [
        *([] if config.seeds_of(experiment) else [f"give experiments.{experiment}.seeds a seed"]),
        *([] if chapter in config.chapters else [f"add {chapter} to chapters"]),
    ]
    return " and ".join(changes)


def _corpus(corpus: Corpus) -> CorpusSetting:
    return CorpusSetting(
        sha256=corpus.sha256 if isinstance(corpus, DownloadedCorpus | StoriesCorpus) else None,
        vocabulary=corpus.vocabulary,
        validation_fraction=corpus.validation_fraction,
        version=corpus.version if isinstance(corpus, ReferentCorpus) else None,
        stories=corpus.stories if isinstance(corpus, StoriesCorpus) else None,
        validation_stories=(
            corpus.validation_stories if isinstance(corpus, StoriesCorpus) else None
        ),
    )


def _architecture(config: Config, variant: str) -> Architecture:
    return Architecture.model_validate_json(config.variants[variant].architecture())
