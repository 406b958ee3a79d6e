"""Readings: what the chapters leave open, tried another way and judged beside the default.

A reading puts configured entries in the place of others. An experiment that uses one of them is
run a second time under the reading, with an experiment of its own; what both share is shared.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from rungs.configuration.experiments import Experiment
from rungs.configuration.words import Seed, Text
from rungs.settings import Name, Settings


class Reading(Settings):
    """One answer to a question that the text leaves open."""

    name: Name
    question: Text
    where: Text
    """The chapter and the section that leave it open."""
    answer: Text
    standing: Literal["stated elsewhere in the text", "inferred", "found by fit"]
    """Why this answer. One that was found because it fits is never the default."""
    corpora: dict[Name, Name] = Field(default={})
    budgets: dict[Name, Name] = Field(default={})
    variants: dict[Name, Name] = Field(default={})
    """For an entry, the one that stands in its place."""
    columns: dict[Name, dict[Name, Name]] = Field(default={})
    """For a probe or an experiment, columns that stand in the place of others."""
    seeds: list[Seed] | None = None
    """Of its runs, instead of the experiment's; an empty list leaves them out."""

    def experiment(self, name: str) -> str:
        """Return the name of an experiment under the reading."""
        return f"{name}_{self.name}"

    def read(self, experiment: Experiment) -> Experiment | None:
        """Return the experiment under the reading; None where it is none of the reading's."""
        read = experiment.model_copy(
            update={
                "corpus": self.corpora.get(experiment.corpus, experiment.corpus),
                "budget": self.budgets.get(experiment.budget, experiment.budget),
                "variants": [self._variant(variant) for variant in experiment.variants],
                "corpora": self._each(experiment.corpora, self.corpora),
                "budgets": self._each(experiment.budgets, self.budgets),
                "labels": self._each(experiment.labels, {}),
                "comparisons": self._each(experiment.comparisons, self.variants),
            }
        )
        if read == experiment:
            return None
        seeds = experiment.seeds if self.seeds is None else self.seeds
        return read.model_copy(
            update={"title": f"{experiment.title} ({self.answer})", "seeds": seeds}
        )

    def _each(self, entries: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
        return {self._variant(key): values.get(value, value) for key, value in entries.items()}

    def _variant(self, name: str) -> str:
        return self.variants.get(name, name)


def under_readings(
    readings: list[Reading], experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, Experiment]]:
    """Yield the experiments that readings add, each with its name."""
    for reading in readings:
        for name, experiment in experiments.items():
            if read := reading.read(experiment):
                yield reading.experiment(name), read
