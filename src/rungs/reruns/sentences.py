"""Jobs in words, and one sentence for each edit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rungs.planning.jobs import Job
from rungs.reruns.edits import Edit

_NOUNS = {
    "runs": "run",
    "archive": "archived run",
    "evaluations": "evaluation",
    "kernels": "kernel measurement",
}
_PLURALS = {"corpus": "steps of the corpora"}
_SHOWN = 3
"""How many names a sentence has room for."""


def sentences(because: Mapping[Edit, Sequence[Job]]) -> list[str]:
    """Return a sentence for every edit; edits in one place that affect the same jobs share one."""
    shared: dict[tuple[str, tuple[int, ...]], list[Edit]] = defaultdict(list)
    for edit, jobs in because.items():
        shared[edit.where, tuple(id(job) for job in jobs)].append(edit)
    return [
        f"{where}: {_joined([edit.what for edit in edits])}; {jobs_in_words(because[edits[0]])}"
        for (where, _), edits in shared.items()
    ]


def jobs_in_words(jobs: Iterable[Job]) -> str:
    """Return what jobs make, such as ``3 runs of rotary, figures/ladder and claims``."""
    kinds: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        taken_sample = job.command[0] == "take-sample"
        kinds["archived samples" if taken_sample else job.address[0]].append(job)
    return _joined([words for kind, members in kinds.items() for words in _kind(kind, members)])


def _kind(kind: str, jobs: list[Job]) -> list[str]:
    if kind not in _NOUNS:
        names = ["/".join(job.address) for job in jobs]
        return names if len(names) <= _SHOWN else [f"{len(names)} {_PLURALS.get(kind, kind)}"]
    noun = _NOUNS[kind] if len(jobs) == 1 else f"{_NOUNS[kind]}s"
    # The variant of a run, the kernel of a measurement.
    names = list(dict.fromkeys(job.address[1 if kind == "kernels" else 3] for job in jobs))
    of = _joined(names) if len(names) <= _SHOWN else f"{len(names)} variants"
    return [f"{len(jobs)} {noun} of {of}"]


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
