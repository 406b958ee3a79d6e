"""What the workflow asks for before it knows the machine: priorities, minutes, memory, groups.

Everything here is a function of the configuration alone, so that the same configuration always
schedules the same way. The reference is a deliberately slow core; ``python -m rungs plan``
measures the real one.
"""

import math

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.planning import flops, memory

FIRST = 10**6
"""The priority of what everything waits for, or of what needs the whole machine: at the start all
cores are free, and later none of them would have to wait for the others."""
FLOPS_PER_SECOND = 20e9
"""Of the reference core: a third of what a current server core reaches on the smallest models."""
START_SECONDS = 60
"""To start a process from a cold disk and to finish it."""
LEAST_JOB_SECONDS = 600
"""A job of a cluster should last at least ten minutes: shorter ones wait longer than they run."""
MOST_RUNS = 32
"""In one cluster job: the minutes they ask for add up, and not every partition grants hours."""
RUN_OVERHEAD_SECONDS = 5
"""On a fast core, of a run and its evaluation in a cluster job, however few steps the run has: the
start of a process with torch, twice."""
CUDA_MIB = 2_000
"""At least, of a process on a GPU: CUDA's libraries take host memory, whatever the model's size."""


def run_flops(config: Config, run: Run) -> int:
    """Return the operations that train a run, validations left out."""
    budget = config.budgets[run.budget]
    return (
        budget.steps
        * flops.training_step(
            config.variants[run.variant],
            config.corpora[run.corpus].vocabulary,
            budget.batch_size,
            budget.context_length,
        ).total
    )


def priority(operations: int) -> int:
    """Return a job's priority: the longest job starts first.

    In hundredths of a doubling, because Snakemake's scheduler adds priorities up in a linear
    program, whose solver wants coefficients of one size. No sum over a machine reaches `FIRST`.
    """
    return round(100 * math.log2(max(1, operations)))


def run_minutes(config: Config, run: Run, attempt: int) -> int:
    """Return minutes that suffice on the reference core; twice as many at the second attempt."""
    return attempt * math.ceil(_run_seconds(config, run) / 60)


def run_mib(config: Config, run: Run, attempt: int) -> int:
    """Return MiB that suffice for training with its validations, in hundreds."""
    budget = config.budgets[run.budget]
    needed = memory.training_mib(
        config.variants[run.variant],
        config.corpora[run.corpus].vocabulary,
        budget.batch_size,
        budget.context_length,
    )
    return _asked(config, needed, attempt)


def evaluation_mib(config: Config, run: Run, attempt: int) -> int:
    """Return MiB that suffice for evaluating a run at any context length, in hundreds."""
    vocabulary = config.corpora[run.corpus].vocabulary
    return _asked(config, memory.scoring_mib(config.variants[run.variant], vocabulary), attempt)


def kernel_mib(config: Config, kernel: str, tokens: int, attempt: int) -> int:
    """Return MiB that suffice for a point of the kernel sweep, in hundreds.

    A point over its budget allocates nothing; near the budget only its own process knows.
    """
    sweep = config.kernels
    held = memory.kernel_mib(kernel, tokens, sweep.width, sweep.heads)
    return _asked(config, memory.TORCH_MIB + min(held, sweep.memory_budget_mib), attempt)


def runs_per_group(config: Config, run: Run) -> int:
    """Return how many runs of this length make one cluster job of ten minutes or more.

    A power of two, so that a profile can list all of them; at most `MOST_RUNS`. Counted with four
    times the reference core's rate, so that the ten minutes are real on a fast one.
    """
    seconds = RUN_OVERHEAD_SECONDS + run_flops(config, run) / (4 * FLOPS_PER_SECOND)
    return min(MOST_RUNS, 2 ** math.ceil(math.log2(max(1.0, LEAST_JOB_SECONDS / seconds))))


def _run_seconds(config: Config, run: Run) -> float:
    return START_SECONDS + run_flops(config, run) / FLOPS_PER_SECOND


def _asked(config: Config, needed: float, attempt: int) -> int:
    least = CUDA_MIB if config.device == "cuda" else 0
    return attempt * 100 * math.ceil(max(needed, least) / 100)
