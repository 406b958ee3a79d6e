"""Every stage, declared once: its module, and what the rest of the house knows of it.

What it reads and writes, and how its command line looks, is the signature of its module's `run`.
Read while the graph of jobs is built, hence without torch and pandas.
"""

from functools import partial
from typing import Literal, NamedTuple

from rungs.probes.catalogue import PROBES
from rungs.report.catalogue import FIGURES

CORPUS, TRAINING, EVALUATION, KERNELS = "corpus", "training", "evaluation", "kernels"
PROBED = "probes"
REST = "tables and figures"

PARTS = (CORPUS, TRAINING, EVALUATION, KERNELS, PROBED, REST)
"""In which a plan and a running workflow are shown."""


class Stage(NamedTuple):
    """One stage of the command line."""

    module: str
    """Its function `run` is the stage."""
    help: str
    part: str = REST
    imports: Literal["plain", "tables", "figures", "torch"] = "tables"
    """Which of the `StartUp` times it has."""
    seconds: float = 0.05
    """Of work after that, on a core that needs one second to start a process with tables, where
    the plan has no better estimate."""
    local: bool = True
    """Runs where Snakemake does; the others are submitted to a cluster."""
    rules: tuple[str, ...] | None = None
    """The workflow's rules that run it, by default one of its own name."""
    typed: bool = False
    """A person types it; the others are the workflow's."""
    prints: bool = False
    """Standard output is its result, of which the summary is no part."""
    computes_runs: bool = False
    """Steps through models as training does: it keeps freed memory, and denormals are zeros."""
    alone: bool = False
    """Only one process makes its output folder, and takes over what another has finished of it."""


_typed = partial(Stage, rules=(), typed=True)
_corpus = partial(Stage, part=CORPUS, imports="plain", seconds=0.0)
_of_a_run = partial(Stage, part=EVALUATION, imports="torch", local=False)
_taken = partial(Stage, part=EVALUATION, imports="plain", seconds=0.0)

STAGES: dict[str, Stage] = {
    "plan": _typed("rungs.planning.plan", "say what would run and how long it would take"),
    "watch": _typed("rungs.watching.watch", "show a running workflow, live"),
    "settle": _typed(
        "rungs.planning.settle", "say which claims more seeds would decide, and what they cost"
    ),
    "why": _typed("rungs.reruns.why", "say what would run, and because of which edit"),
    "download": _corpus(
        "rungs.corpus.download",
        "fetch a file of a corpus and verify its checksum",
        seconds=1.0,
        rules=("download", "download_stories"),
    ),
    "generate-corpus": _corpus(
        "rungs.corpus.generated", "write a synthetic corpus of known entropy", rules=("generate",)
    ),
    "generate-referents": _corpus(
        "rungs.corpus.generate_referents",
        "write every sentence of a language with a right answer",
        seconds=0.1,
    ),
    "tokenize": _corpus(
        "rungs.corpus.tokenize", "learn a tokenizer, encode and split a corpus", local=False
    ),
    "tokenize-stories": _corpus(
        "rungs.corpus.tokenize_stories",
        "learn a tokenizer from many stories and encode them, as a stream",
        local=False,
    ),
    "measure-text": _corpus(
        "rungs.corpus.measures", "count the bytes of the validation text", seconds=0.05
    ),
    "train": Stage(
        "rungs.training.train",
        "train one run",
        TRAINING,
        "torch",
        local=False,
        computes_runs=True,
        alone=True,
    ),
    "evaluate": _of_a_run(
        "rungs.evaluation.evaluate", "score one run at every context length", computes_runs=True
    ),
    "evaluate-referents": _of_a_run(
        "rungs.evaluation.referents",
        "count one run's right answers, and keep what it looks at",
        seconds=0.2,
    ),
    "archive": _typed("rungs.archive.keep", "keep what finished runs wrote down, without weights"),
    "prove": _typed(
        "rungs.archive.prove",
        "show that today's code makes an archive's runs, to the bit",
        computes_runs=True,
    ),
    "take-from-archive": _taken(
        "rungs.archive.take", "put a run in place that was trained elsewhere"
    ),
    "take-sample": _taken("rungs.archive.take_sample", "put in place what such a run wrote on"),
    "generate": _typed(
        "rungs.generation.generate", "let a trained run write on from a prompt", prints=True
    ),
    "sample-text": _of_a_run(
        "rungs.generation.samples", "keep what one run writes on as data", seconds=2.0
    ),
    "kernel": Stage(
        "rungs.kernels.measure",
        "measure one attention kernel at one size",
        KERNELS,
        "torch",
        local=False,
    ),
    "memory-table": Stage("rungs.tables.memory", "collect the kernel measurements"),
    "parameters": Stage(
        "rungs.tables.parameters", "count parameters by component", imports="torch", seconds=0.1
    ),
    "blocks": Stage(
        "rungs.tables.blocks",
        "count a block's parameters beside the closed forms",
        imports="torch",
        seconds=0.1,
    ),
    **{
        probe.stage: Stage(
            probe.module, probe.help, PROBED, "torch", 1.0, local=False, rules=("probe",)
        )
        for probe in PROBES
        if not probe.fixed
    },
    "fixed-probes": Stage(
        "rungs.probes.fixed",
        "measure what no setting enters, and write its tables",
        PROBED,
        "torch",
        seconds=0.2,
        local=False,
    ),
    "probe-table": Stage("rungs.tables.probe", "summarise a probe over its seeds"),
    "observations": Stage("rungs.tables.observations", "collect evaluations into one tidy table"),
    "all-observations": Stage(
        "rungs.tables.all_observations", "join the experiments' observations"
    ),
    "table": Stage("rungs.tables.experiment", "summarise an experiment over its seeds"),
    "continuations-table": Stage("rungs.tables.continuations", "collect what runs wrote"),
    **{
        figure.stage: Stage(figure.module, figure.draws, imports="figures", seconds=0.5)
        for figure in FIGURES
    },
    "claims": Stage(
        "rungs.claims.claim_table", "compare every published number with ours", seconds=0.2
    ),
    "readings": Stage("rungs.claims.readings", "judge claims under other readings of the text"),
    "seed-noise": Stage("rungs.claims.seed_noise", "compare published differences with luck"),
    "report": Stage(
        "rungs.report.page",
        "write the report from whatever has been run",
        imports="figures",
        seconds=0.2,
        typed=True,
    ),
    "bundle": Stage("rungs.bundle.pack", "pack tables, figures and report into one zip"),
    "compare": _typed("rungs.compare.compare", "compare two result folders or bundles"),
}

OF_RULE = {
    rule: stage
    for name, stage in STAGES.items()
    for rule in (stage.rules if stage.rules is not None else (name.replace("-", "_"),))
}
"""The stage that a rule runs."""
