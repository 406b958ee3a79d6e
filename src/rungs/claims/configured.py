"""Take from the whole configuration what probes' tables and claims need; used by the workflow.

Apart from what tables read themselves: the catalogue of probes is part of no table's code.
"""

from rungs.config import Config
from rungs.probes.catalogue import BY_NAME
from rungs.published.load import published_config
from rungs.tables.configured import corpus_setting, settings_of
from rungs.tables.settings import COMMAND, ClaimSettings, ProbeSettings, ReadingSetting


def probe_settings(config: Config, name: str) -> ProbeSettings:
    """Return what the probe's table needs of the configuration."""
    own, published = (_of_probe(of, name) for of in (config, published_config()))
    return own.model_copy(update={"published": published})


def _of_probe(config: Config, name: str) -> ProbeSettings:
    probe = BY_NAME[name]
    settings = probe.decided(config)
    return ProbeSettings(
        sizes={option: value for option, value in settings.items() if isinstance(value, int)},
        corpus=corpus_setting(config.corpora[probe.corpus(config)]) if probe.corpus else None,
        architectures={
            entry["variant"]: entry["architecture"] for entry in settings.get("variants", [])
        },
    )


def claim_settings(
    config: Config, command: str = COMMAND, *, readings: bool = False
) -> ClaimSettings:
    """Return what the claims need of the configuration, and of how the workflow was started.

    Args:
        config: the configuration.
        command: makes whatever target follows it.
        readings: whether the claims are judged under readings as well.
    """
    if not readings:
        read = config.read_experiments
        own = {name: e for name, e in config.experiments.items() if name not in read}
        config = config.model_copy(update={"readings": [], "experiments": own})
    return settings_of(config).model_copy(
        update={
            "command": command,
            "probes": {name: probe_settings(config, name) for name in BY_NAME},
            "readings": [
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
            "left_out": _left_out(config),
        }
    )


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
