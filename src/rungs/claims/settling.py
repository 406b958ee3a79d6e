"""Which seeds would decide what is undecided: one proposal an experiment and number of seeds."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

import pandas as pd

from rungs.config import Config
from rungs.probes.catalogue import BY_NAME

COLUMNS = ("id", "table", "seeds_to_decide")
"""What is read of ``claims.csv``."""


class Proposal(NamedTuple):
    """Seeds that would decide claims."""

    source: str
    """The experiment, or the probe."""
    seeds: int
    """In all, those that are there included."""
    claims: tuple[str, ...]

    @property
    def is_probe(self) -> bool:
        """Whether it needs no training."""
        return self.source in BY_NAME

    def new_seeds(self, config: Config) -> list[int]:
        """Return the seeds of an experiment that are not there yet."""
        there = config.seeds_of(self.source)
        more = max(0, self.seeds - len(there))
        return list(islice((seed for seed in count() if seed not in there), more))

    def setting(self, config: Config) -> str:
        """Return the key and value of a configuration that runs exactly these seeds."""
        if self.is_probe:
            return f"probes: {{draws: {{{self.source}: {self.seeds}}}}}"
        seeds = [*config.seeds_of(self.source), *self.new_seeds(config)]
        return f"experiments: {{{self.source}: {{seeds: {seeds}}}}}"


def proposals(claims: pd.DataFrame) -> Iterator[Proposal]:
    """Yield for each source and number of seeds what these would decide.

    Args:
        claims: ``COLUMNS``, a row for each claim that seeds might decide; infinitely many where
            no number does.
    """
    by_source: dict[str, dict[str, int]] = defaultdict(dict)
    for row in claims[claims["seeds_to_decide"] < float("inf")].to_dict("records"):
        by_source[row["table"]][row["id"]] = int(row["seeds_to_decide"])
    for source, needed in by_source.items():
        for seeds in sorted(set(needed.values())):
            yield Proposal(source, seeds, tuple(c for c, least in needed.items() if least <= seeds))
