"""What every stage needs: the validated configuration, code digests, addresses."""

import json
import os
import shlex
import sys
from pathlib import Path

from rungs.archive.archived import address, archived_runs
from rungs.code import code_digest
from rungs.config import parse_config, read_source
from rungs.configuration.schema import Run
from rungs.errors import UserError
from rungs.files import canonical_json
from rungs.planning import reference
from rungs.probes import PROBES
from rungs.configuration.refusals import Source
from rungs.tables.configured import claim_settings, experiment_settings, probe_settings
from rungs.training.pieces import unused_by_model, unused_by_run
from snakemake.exceptions import WorkflowError

CONFIG_FILES = [Path(workflow.basedir) / "config.yaml", *map(Path, workflow.overwrite_configfiles)]

try:
    SOURCES = [read_source(path) for path in CONFIG_FILES]
    SOURCES.append(Source("--config", workflow.config_settings.config))
    CONFIG = parse_config(config, SOURCES)
except UserError as error:
    raise WorkflowError(f"The configuration is refused before any job starts:\n{error}")

# Jobs run the interpreter that runs Snakemake, whether its environment is activated or not.
INTERPRETER = shlex.quote(str(Path(sys.executable).parent))
shell.prefix(f"set -euo pipefail; export PATH={INTERPRETER}:$PATH; ")

# Corpora placed here are used without a network. Relative, so that a clone at another path
# runs the same commands.
DATA = os.path.relpath(Path(workflow.basedir) / "data")
SOURCE = Path(os.path.relpath(Path(workflow.basedir) / "src/rungs"))

# Asked of a cluster where the configuration insists on one; `auto` takes what is there.
GPUS = 1 if CONFIG.device == "cuda" else 0

# Runs that are taken from the archive, so that there are no weights of them here.
ARCHIVE = os.path.relpath(Path(workflow.basedir) / (CONFIG.archive or "none"))
try:
    ARCHIVED = archived_runs(CONFIG, Path(ARCHIVE)) if CONFIG.archive else frozenset()
except UserError as error:
    raise WorkflowError(str(error))

# The published numbers are data of the package: an edit of one is an edit of an input.
PUBLISHED = sorted((SOURCE / "published").glob("*.yaml"))

HISTORY = "results/runs/{corpus}/{budget}/{variant}/seed{seed}/history.jsonl"
EVALUATION = "results/evaluations/{corpus}/{budget}/{variant}/seed{seed}.json"

EXPERIMENTS = list(CONFIG.experiments)
# Of these kinds, each with tables and figures of its own.
ANSWERING, STEPPED, SCORED = (
    [name for name in EXPERIMENTS if CONFIG.kind(name) == kind]
    for kind in ("answers", "steps", "scores")
)
# Experiments with runs whose attention is observed while they train.
OBSERVED = [
    name
    for name in EXPERIMENTS
    if any(CONFIG.budgets[run.budget].observe_attention for run in CONFIG.runs(name))
]
CONTINUED = [name for name in EXPERIMENTS if CONFIG.experiments[name].continues]
IN_BYTES = CONFIG.measured_in_bytes()

# What is made without a target: the experiments of the wanted chapters, and all that is measured
# without training.
WANTED = CONFIG.wanted()
ALL_RUNS = sorted({run for experiment in WANTED for run in CONFIG.runs(experiment)})
USED_CORPORA = sorted({*(run.corpus for run in ALL_RUNS), CONFIG.probes.gradient_norms.corpus})
RUNS = [
    f"results/runs/{run.corpus}/{run.budget}/{run.variant}/seed{run.seed}/{file}"
    for run in ALL_RUNS
    for file in ("model.safetensors", "history.jsonl", "run.json")
    if file != "model.safetensors" or run not in ARCHIVED
]
EVALUATIONS = [EVALUATION.format(**run._asdict()) for run in ALL_RUNS]
ARCHIVED_SAMPLES = {
    f"{name}/{run.variant}/seed{run.seed}": run
    for name in CONTINUED
    for run in CONFIG.runs(name)
    if run in ARCHIVED
}


def tables_of(experiments):
    """The tables of some experiments."""
    return [
        *(f"results/{name}.csv" for name in experiments),
        *(f"results/{name}_attention.csv" for name in experiments if name in ANSWERING),
        *(f"results/{name}_samples.csv" for name in experiments if name in CONTINUED),
        *(["results/loss_by_position.csv"] if IN_BYTES in experiments else []),
    ]


def measures_of(experiments):
    """What is measured of the texts that experiments in bits per byte read."""
    corpora = {run.corpus for name in experiments if name == IN_BYTES for run in CONFIG.runs(name)}
    return [f"results/corpus/{corpus}/measures.json" for corpus in sorted(corpora)]


def figures_of(experiments):
    """The figures of some experiments."""
    names = [
        *experiments,
        *(f"{name}_learning_curves" for name in experiments),
        *(f"{name}_sharpness" for name in experiments if name in OBSERVED),
        *(
            f"{name}_{what}"
            for name in experiments
            if name in ANSWERING
            for what in ("attention", "maps")
        ),
        *(["loss_by_position"] if IN_BYTES in experiments else []),
    ]
    return expand("results/figures/{figure}.{extension}", figure=names, extension=["svg", "png"])


def chapter_results(chapter):
    """The tables and figures of a chapter's experiments, wanted or not."""
    names = [name for name in EXPERIMENTS if CONFIG.experiments[name].chapter == chapter]
    return tables_of(names) + figures_of(names) + measures_of(names)


TABLES = [
    *tables_of(WANTED),
    "results/memory.csv",
    "results/exponents.csv",
    "results/parameters.csv",
    "results/blocks.csv",
    *(f"results/{probe}.csv" for probe in PROBES),
]
PROBE_RESULTS = [f"results/probes/{probe}.json" for probe in PROBES]


wildcard_constraints:
    corpus="[a-z][a-z0-9_]*",
    budget="[a-z][a-z0-9_]*",
    variant="[a-z][a-z0-9_]*",
    experiment="|".join(EXPERIMENTS),
    seed="[0-9]+",
    kernel="[a-z_]+",
    probe="|".join(PROBES),
    tokens="[0-9]+",


def training_code(wildcards):
    """A run depends on the pieces of its own architecture, not on those of the others."""
    variant, budget = CONFIG.variants[wildcards.variant], CONFIG.budgets[wildcards.budget]
    return code_digest("rungs.training.stage", unused_by_run(variant, budget))


def evaluation_code(wildcards):
    answers = CONFIG.corpora[wildcards.corpus].source == "referents"
    return code_digest(
        "rungs.evaluation.referents" if answers else "rungs.evaluation.stage",
        unused_by_model(CONFIG.variants[wildcards.variant]),
    )


def corpus_of(run):
    """The corpus of a run's address."""
    return run.partition("/")[0]


def run_at(wildcards):
    return Run(wildcards.corpus, wildcards.budget, wildcards.variant, int(wildcards.seed))


def run_priority(wildcards):
    return reference.priority(reference.run_flops(CONFIG, run_at(wildcards)))


def run_minutes(wildcards, attempt):
    return reference.run_minutes(CONFIG, run_at(wildcards), attempt)


def run_memory(wildcards, attempt):
    return reference.run_mib(CONFIG, run_at(wildcards), attempt)


def run_group(wildcards):
    """A profile that says how many `runs_N` make one cluster job gets runs in such groups."""
    if any(name.startswith("runs_") for name in workflow.group_settings.group_components):
        return f"runs_{reference.runs_per_group(CONFIG, run_at(wildcards))}"
    return None


def evaluations(wildcards):
    return [EVALUATION.format(**run._asdict()) for run in CONFIG.runs(wildcards.experiment)]


def histories(wildcards):
    return [HISTORY.format(**run._asdict()) for run in CONFIG.runs(wildcards.experiment)]


def observed_histories(wildcards):
    """Of runs whose attention is observed, or whose losses at several steps are shown."""
    return [
        HISTORY.format(**run._asdict())
        for run in CONFIG.runs(wildcards.experiment)
        if CONFIG.budgets[run.budget].observe_attention or wildcards.experiment in STEPPED
    ]


def continuations(wildcards):
    name = wildcards.experiment
    return [
        f"results/samples/{name}/{run.variant}/seed{run.seed}.json"
        for run in (CONFIG.runs(name) if name in CONTINUED else [])
    ]


def continued_run(wildcards):
    """The run that writes on, as a dictionary of its address."""
    return next(
        run._asdict()
        for run in CONFIG.runs(wildcards.experiment)
        if (run.variant, str(run.seed)) == (wildcards.variant, wildcards.seed)
    )


def continuation_code(wildcards):
    return code_digest(
        "rungs.generation.samples", unused_by_model(CONFIG.variants[wildcards.variant])
    )


def evaluations_in_bytes(_wildcards):
    return [EVALUATION.format(**run._asdict()) for run in CONFIG.runs(IN_BYTES)]


def mapped_evaluation(wildcards):
    """The evaluation whose attention is drawn: one model's, since maps of several do not average."""
    variant = CONFIG.mapped_variant(wildcards.experiment)
    runs = CONFIG.runs(wildcards.experiment)
    return EVALUATION.format(**next(run for run in runs if run.variant == variant)._asdict())


def corpus_summary(wildcards):
    return f"results/corpus/{CONFIG.experiments[wildcards.experiment].corpus}/summary.json"


def stories_file(wildcards):
    """The addresses and the checksum of one file of a corpus of stories."""
    return getattr(CONFIG.corpora[wildcards.corpus], wildcards.part)


def validation_stories(wildcards):
    count = CONFIG.corpora[wildcards.corpus].validation_stories
    return f"--validation-stories {count}" if count else ""


def corpus_entropy(wildcards):
    """A generated corpus comes with its entropy, a downloaded one does not."""
    if CONFIG.corpora[wildcards.corpus].source == "generated":
        return f"results/corpus/{wildcards.corpus}/entropy.json"
    return []


def counted_models(_wildcards):
    """Every trained or listed model once; the vocabulary is named where one name has several."""
    pairs = [
        (run.variant, CONFIG.corpora[run.corpus].vocabulary)
        for experiment in EXPERIMENTS
        for run in CONFIG.runs(experiment)
    ]
    pairs += [(entry.variant, entry.vocabulary) for entry in CONFIG.parameter_counts]
    models = {}
    for variant, vocabulary in dict.fromkeys(pairs):
        name = variant if variant not in models else f"{variant}_{vocabulary}"
        models[name] = {
            "model": name,
            "label": CONFIG.label(variant),
            "architecture": json.loads(CONFIG.variants[variant].architecture()),
            "vocabulary": vocabulary,
        }
    return canonical_json(list(models.values()))


def probe_options(wildcards):
    """What a probe depends on, and nothing else of the configuration."""
    probes = CONFIG.probes
    budget = CONFIG.budgets[probes.language_models.budget]
    models = f"--variants {shlex.quote(architectures(probes.language_models.variants))}"
    length = f"--context-length {budget.context_length}"
    seeds, widths = f"--seeds {probes.seeds}", f"--widths {' '.join(map(str, probes.widths))}"
    return {
        "averaging": seeds,
        "equivalence": seeds,
        "variance": f"{seeds} {widths} --pairs {probes.pairs}",
        "saturation": f"{seeds} {widths} --rows {probes.rows}",
        "untrained_attention": f"{models} {seeds}",
        "contexts": f"{models} --batch-size {budget.batch_size} {length}",
        "cached_generation": f"{models} {length} {seeds}",
    }.get(wildcards.probe, "")


def architectures(variants):
    """The variants' architectures, as JSON."""
    return canonical_json(
        [
            {
                "variant": variant,
                "architecture": json.loads(CONFIG.variants[variant].architecture()),
            }
            for variant in variants
        ]
    )


def gradient_norm_variants(_wildcards):
    return architectures(CONFIG.probes.gradient_norms.variants)


def experiment_title(wildcards):
    return CONFIG.experiments[wildcards.experiment].title


def kernel_memory(wildcards, attempt):
    """MiB that a point may allocate: its score matrices, or its budget where they exceed it."""
    matrix = CONFIG.kernels.heads * int(wildcards.tokens) ** 2 * 4 / 2**20
    return attempt * (1_000 + int(min(3 * matrix, CONFIG.kernels.memory_budget_mib)))


def kernel_threads(_wildcards):
    """All cores for one point, though it computes with one: no neighbour disturbs its clock."""
    try:
        return workflow.cores if CONFIG.kernels.exclusive else 1
    except WorkflowError:  # no --cores: nothing is run, only drawn or linted
        return 1


def command():
    """The command that a reader types to make one file again, as this workflow was started."""
    folder = os.path.relpath(".", workflow.basedir)
    overlays = [os.path.relpath(path, workflow.basedir) for path in workflow.overwrite_configfiles]
    values = [
        f"{key}={json.dumps(value)}" for key, value in workflow.config_settings.config.items()
    ]
    words = ["snakemake --cores all"]
    words += [f"--directory {shlex.quote(folder)}"] if folder != "." else []
    words += [f"--configfile {shlex.join(overlays)}"] if overlays else []
    words += [f"--config {shlex.join(values)}"] if values else []
    return " ".join([*words, "--"] if overlays or values else words)
