"""Take from the whole configuration what tables need; used by the workflow."""

from functools import cache

from rungs.config import Config
from rungs.configuration.corpora import Corpus, DownloadedCorpus, ReferentCorpus, StoriesCorpus
from rungs.model.architecture import Architecture
from rungs.published.load import published_config
from rungs.tables.settings import (
    ClaimSettings,
    CorpusSetting,
    ExperimentSettings,
    LayerSetting,
    Model,
    Row,
)


def experiment_settings(config: Config, experiment: str) -> ExperimentSettings:
    """Return what the experiment's table needs of the configuration."""
    e = config.experiments[experiment]
    members = set(config.members(experiment))
    return ExperimentSettings(
        corpus=corpus_setting(config.corpora[e.corpus]),
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
                corpus=corpus_setting(config.corpora[e.corpora[v]]) if v in e.corpora else None,
            )
            for v in config.members(experiment)
        ],
    )


def settings_of(config: Config) -> ClaimSettings:
    """Return what every published number but those of the probes was measured with."""
    kernels = config.kernels
    return ClaimSettings(
        corpora={name: corpus_setting(corpus) for name, corpus in config.corpora.items()},
        experiments={name: experiment_settings(config, name) for name in config.experiments},
        layer=LayerSetting(
            width=kernels.width,
            heads=kernels.heads,
            memory_budget_mib=kernels.memory_budget_mib,
            workspace_mib=kernels.workspace_mib,
        ),
        models={
            entry.variant: Model(
                architecture=_architecture(config, entry.variant), vocabulary=entry.vocabulary
            )
            for entry in config.parameter_counts
        },
    )


@cache
def published_settings() -> ClaimSettings:
    """Return what the published numbers hold for; those of a probe say it in its own settings."""
    return settings_of(published_config())


def corpus_setting(corpus: Corpus) -> CorpusSetting:
    """Return what decides the tokens of a corpus."""
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
