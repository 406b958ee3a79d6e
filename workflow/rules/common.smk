"""What every stage needs: the validated configuration, code digests, addresses."""

import json
import os
import sys
from pathlib import Path

from rungs.config import parse_config
from rungs.digest import code_digest
from rungs.errors import UserError
from rungs.files import canonical_json
from rungs.report.configured import claim_settings, experiment_settings
from snakemake.exceptions import WorkflowError

try:
    CONFIG = parse_config(config)
except UserError as error:
    raise WorkflowError(f"The configuration is refused before any job starts:\n{error}")

# Jobs run the interpreter that runs Snakemake, whether its environment is activated or not.
shell.prefix(f"set -euo pipefail; export PATH={Path(sys.executable).parent}:$PATH; ")

# Corpora placed here are used without a network. Relative, so that a clone at another path
# runs the same commands.
DATA = os.path.relpath(Path(workflow.basedir) / "data")
SOURCE = Path(os.path.relpath(Path(workflow.basedir) / "src/rungs"))

# The published numbers are data of the package: an edit of one is an edit of an input.
PUBLISHED = sorted((SOURCE / "published").glob("*.yaml"))

CORPUS = "results/corpus/{corpus}"
RUN = "results/runs/{corpus}/{budget}/{variant}/seed{seed}"
EVALUATION = "results/evaluations/{corpus}/{budget}/{variant}/seed{seed}.json"

EXPERIMENTS = list(CONFIG.experiments)
USED_CORPORA = sorted({experiment.corpus for experiment in CONFIG.experiments.values()})
TABLES = [
    *(f"results/{experiment}.csv" for experiment in EXPERIMENTS),
    "results/memory.csv",
    "results/exponents.csv",
    "results/parameters.csv",
]


wildcard_constraints:
    corpus="[a-z][a-z0-9_]*",
    budget="[a-z][a-z0-9_]*",
    variant="[a-z][a-z0-9_]*",
    experiment="|".join(EXPERIMENTS),
    seed="[0-9]+",
    kernel="[a-z_]+",
    tokens="[0-9]+",


def evaluations(wildcards):
    return [
        EVALUATION.format(**run._asdict()) for run in CONFIG.runs(wildcards.experiment)
    ]


def histories(wildcards):
    return [
        (RUN + "/history.jsonl").format(**run._asdict())
        for run in CONFIG.runs(wildcards.experiment)
    ]


def corpus_summary(wildcards):
    return (
        f"results/corpus/{CONFIG.experiments[wildcards.experiment].corpus}/summary.json"
    )
