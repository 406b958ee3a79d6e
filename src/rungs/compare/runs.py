"""What the runs of two folders measured, paired by seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from rungs.tables.intervals import Estimate, Sample, estimate, paired_difference
from rungs.tables.samples import DIVERGED, read_observations

# Relative to A's mean over the seeds that both have. The same seed means the same initial weights
# and the same batches; what is left between two machines is the order in which float32 sums are
# taken, which training amplifies (docs/decisions/compare.md has what was measured).
TOLERANCES = {"perplexity": 0.01, "training_perplexity": 0.01, "parameters": 0.0}


@dataclass(frozen=True)
class Compared:
    """One trained or counted number of both folders.

    Attributes:
        place: corpus and budget.
        length: context length in tokens, where the metric depends on one.
        a, b: mean and interval over all seeds of either folder, NaN where it has none.
        difference: B minus A, over the seeds that both have.
        relative: the difference over A's mean of the same seeds, NaN without a common seed.
    """

    place: tuple[str, str]
    variant: str
    length: int | None
    metric: str
    a: Estimate
    b: Estimate
    difference: Estimate
    relative: float

    @property
    def beyond(self) -> bool:
        """Whether both have it and differ by more than the metric's tolerance."""
        return abs(self.relative) > TOLERANCES[self.metric]

    @property
    def differs(self) -> bool:
        """Whether a seed of both has it and it is not equal to the last digit."""
        return self.common and self.difference.mean != 0

    @property
    def common(self) -> bool:
        """Whether a seed of both has it."""
        return self.difference.seeds > 0


def compare_runs(a: Path, b: Path) -> list[Compared]:
    """Return every number with a tolerance that either folder has, sorted by address.

    Raises:
        UserError: a table of observations is there and cannot be read.
    """
    first, second = _samples(a), _samples(b)
    return list(_compared(first, second))


_Key = tuple[str, str, str, int | None, str]


def _samples(folder: Path) -> dict[_Key, Sample]:
    """Return what the folder's runs measured, but for variants of which a seed diverged."""
    found: dict[_Key, dict[int, float]] = {}
    ended = set()
    for path in _observed(folder):
        for row in read_observations(path).to_dict("records"):
            if row["metric"] == DIVERGED:
                ended.add((row["corpus"], row["budget"], row["variant"]))
            if row["metric"] in TOLERANCES:
                length = None if pd.isna(row["context_length"]) else int(row["context_length"])
                key = (row["corpus"], row["budget"], row["variant"], length, row["metric"])
                found.setdefault(key, {})[row["seed"]] = row["value"]
    return {
        key: sample
        for key, sample in found.items()
        if key[4] == "parameters" or key[:3] not in ended
    }


def _observed(folder: Path) -> list[Path]:
    """Return the observations of every experiment, which are there before their union is."""
    union = folder / "observations.csv"
    return sorted(folder.glob("observations/*.csv")) or ([union] if union.is_file() else [])


def _compared(first: dict[_Key, Sample], second: dict[_Key, Sample]) -> Iterator[Compared]:
    for key in sorted({*first, *second}, key=lambda key: (*key[:3], key[4], key[3] or 0)):
        a, b = first.get(key, {}), second.get(key, {})
        difference = estimate(paired_difference(b, a).values())
        base = estimate(a[seed] for seed in sorted(a.keys() & b.keys())).mean
        corpus, budget, variant, length, metric = key
        yield Compared(
            (corpus, budget),
            variant,
            length,
            metric,
            estimate(a.values()),
            estimate(b.values()),
            difference,
            difference.mean / base if base else difference.mean,
        )
