"""What each job costs: operations, seconds, memory, disk."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from rungs.config import Config
from rungs.planning import flops, memory, reference, work
from rungs.planning.corpora import CHARACTERS_PER_STORY, STORIES_IN_FILE, Size
from rungs.planning.jobs import Job
from rungs.planning.machine import Calibration, Rates
from rungs.planning.work import NOTHING
from rungs.probes.catalogue import BY_NAME
from rungs.probes.probe import Probe
from rungs.stages import OF_RULE
from rungs.training.budget import Budget

TRAINING_SAMPLE_TOKENS = 45_976
"""Training tokens that an evaluation scores as well."""
SAMPLED_WINDOWS = 320
"""Random windows of the validation split that it scores as well, of each context length."""
WARM_UPS = 2
"""Passes of a kernel before those that are timed."""
TOKENIZE_SECONDS_PER_MILLION = 0.6
"""Characters, on a core that needs one second to start a process with tables."""
STORIES_SECONDS_PER_MILLION = 1.0
"""The same, of stories that are read twice as a stream."""

DOWNLOADED_PER_SECOND = 6e7
"""Bytes of a large file, copied or fetched, and compared with its checksum."""


class Cost(NamedTuple):
    """Of one job, alone on this machine."""

    flops: int
    seconds: float
    mib: float
    bytes: float
    priority: int
    cores: int = 1


class Estimator:
    """Costs of jobs on a calibrated machine.

    Args:
        config: what the jobs are configured to do.
        sizes: of the corpora.
        calibration: of the machine.
        cores: what a job that wants the machine to itself gets.
    """

    def __init__(
        self, config: Config, sizes: Mapping[str, Size], calibration: Calibration, cores: int
    ) -> None:
        self.config = config
        self.sizes = sizes
        self.calibration = calibration
        self.cores = cores
        self.pace = calibration.start_up.tables

    def cost(self, job: Job) -> Cost:
        """Return what the job costs."""
        match job.rule:
            case "train":
                return self._train(job.wildcards)
            case "evaluate":
                return self._evaluate(job.wildcards)
            case "kernel":
                return self._kernel(job.wildcards)
            case "probe" if BY_NAME[job.wildcards["probe"]].corpus:
                return self._gradients(BY_NAME[job.wildcards["probe"]])
            case "tokenize" | "tokenize_stories":
                size = self.sizes[job.wildcards["corpus"]]
                streamed = job.rule == "tokenize_stories"
                rate = STORIES_SECONDS_PER_MILLION if streamed else TOKENIZE_SECONDS_PER_MILLION
                seconds = size.characters / 1e6 * rate * self.pace
                held = 2 * (size.train_tokens + size.validation_tokens) + 100_000
                held += size.characters if streamed else 0  # a copy of what is read
                return Cost(0, self._start(job.rule) + seconds, 200, held, reference.FIRST)
            case "download_stories":
                held = STORIES_IN_FILE[job.wildcards["part"]] * CHARACTERS_PER_STORY
                small = self._small(job.rule)
                seconds = small.seconds + held / DOWNLOADED_PER_SECOND * self.pace
                return small._replace(seconds=seconds, bytes=held, priority=reference.FIRST)
            case "download" | "generate" | "generate_referents":
                characters = self.sizes[job.wildcards["corpus"]].characters
                return self._small(job.rule)._replace(bytes=characters, priority=reference.FIRST)
            case rule if rule in OF_RULE:
                return self._small(rule)
            case _:  # names targets, and starts no process
                return Cost(0, 0.0, 0, 0, 0)

    def _train(self, wildcards: Mapping[str, str]) -> Cost:
        budget = self.config.budgets[wildcards["budget"]]
        a = self.config.variants[wildcards["variant"]]
        corpus = wildcards["corpus"]
        vocabulary = self.config.corpora[corpus].vocabulary
        shape = (a, vocabulary, budget.batch_size, budget.context_length)
        validations = math.ceil(budget.steps / budget.validate_every) + budget.observe_attention
        held_out = self.sizes[corpus].validation_tokens
        scored = work.scoring(a, vocabulary, held_out, budget.context_length)
        counted = budget.steps * flops.training_step(*shape).total
        validated = flops.scoring(a, vocabulary, held_out, budget.context_length).total
        cores = min(budget.threads, self.cores)
        stepping = self._rates(budget).seconds(work.training_step(*shape).times(budget.steps))
        validating = self.calibration.scoring.seconds(scored.times(validations))
        return Cost(
            flops=counted + validations * validated,
            seconds=self._start("train") + (stepping + validating) / cores,
            mib=memory.training_mib(*shape),
            bytes=memory.run_bytes(a, vocabulary, validations),
            priority=reference.priority(counted),
            cores=cores,
        )

    def _rates(self, budget: Budget) -> Rates:
        rates = self.calibration.training
        if budget.precision == "float32":
            return rates
        slower = self.calibration.bfloat16
        return rates.model_copy(update={"linear": rates.linear * slower})

    def _evaluate(self, wildcards: Mapping[str, str]) -> Cost:
        budget = self.config.budgets[wildcards["budget"]]
        a = self.config.variants[wildcards["variant"]]
        size = self.sizes[wildcards["corpus"]]
        vocabulary = self.config.corpora[wildcards["corpus"]].vocabulary
        lengths = self.config.evaluated_lengths(wildcards["variant"])
        sample = min(TRAINING_SAMPLE_TOKENS, size.validation_tokens)
        texts = [(size.validation_tokens, length) for length in lengths]
        texts += [
            (min(SAMPLED_WINDOWS, size.validation_tokens // length) * length, length)
            for length in lengths
        ]
        texts += [
            (size.validation_tokens, budget.context_length),  # by quarters
            (sample, budget.context_length),
        ]
        total, counted = NOTHING, 0
        for tokens, length in texts:
            total = total.plus(work.scoring(a, vocabulary, tokens, length))
            counted += flops.scoring(a, vocabulary, tokens, length).total
        return Cost(
            flops=counted,
            seconds=self._start("evaluate") + self.calibration.scoring.seconds(total),
            mib=memory.scoring_mib(a, vocabulary),
            bytes=25 * sum(length for _, length in texts) + 1_000,
            priority=0,
        )

    def _gradients(self, probe: Probe) -> Cost:
        """One step without its update, of every variant and seed."""
        assert probe.corpus is not None, "it computes gradients on a corpus"
        told = probe.options(self.config)
        vocabulary = self.config.corpora[probe.corpus(self.config)].vocabulary
        shapes = [
            (
                self.config.variants[entry["variant"]],
                vocabulary,
                told["batch_size"],
                told["context_length"],
            )
            for entry in told["variants"]
        ]
        seeds = told["seeds"]
        seconds = sum(
            self.calibration.training.seconds(work.training_step(*shape)) for shape in shapes
        )
        return Cost(
            flops=seeds * sum(flops.training_step(*shape).total for shape in shapes),
            seconds=self._start("probe") + seeds * seconds,
            mib=max(memory.step_mib(*shape) for shape in shapes),
            bytes=10_000,
            priority=0,
        )

    def _kernel(self, wildcards: Mapping[str, str]) -> Cost:
        kernels, rates = self.config.kernels, self.calibration.kernel
        kernel, tokens = wildcards["kernel"], int(wildcards["tokens"])
        held = memory.kernel_mib(kernel, tokens, kernels.width, kernels.heads)
        counted = flops.attention_layer(tokens, kernels.width)
        seconds = self._start("kernel") + rates.prediction
        fits = held + kernels.workspace_mib <= kernels.memory_budget_mib
        if fits:
            projections = rates.linear * counted.linear
            score = rates.naive if kernel == "naive" else rates.tiled
            whole = projections + score * kernels.heads * tokens**2
            # Once counted, then warmed up and timed: the whole layer, and its projections.
            seconds += whole + (WARM_UPS + kernels.repeats) * (whole + projections)
        return Cost(
            flops=(1 + WARM_UPS + kernels.repeats) * counted.total if fits else 0,
            seconds=seconds,
            mib=memory.TORCH_MIB + (held if fits else 0),
            bytes=600,
            priority=reference.FIRST if kernels.exclusive else 1,
            cores=self.cores if kernels.exclusive else 1,
        )

    def _small(self, rule: str) -> Cost:
        seconds = self._start(rule) + OF_RULE[rule].seconds * self.pace
        return Cost(0, seconds, 200, 100_000, 0)

    def _start(self, rule: str) -> float:
        return float(getattr(self.calibration.start_up, OF_RULE[rule].imports))
