"""What every stage needs: the validated configuration, code digests, addresses."""

import json
import os
import shlex
import sys
from pathlib import Path

from rungs.archive.archived import address, read_archive, read_archived
from rungs.code import code_digest
from rungs.config import parse_config, read_source
from rungs.configuration.schema import Run
from rungs.errors import UserError
from rungs.files import canonical_json
from rungs.kept_settings import keep
from rungs.planning import reference
from rungs.probes.catalogue import BY_NAME as PROBES
from rungs.configuration.refusals import Source
from rungs.claims.configured import claim_settings, probe_settings
from rungs.claims.own import refuse_unanswerable
from rungs.published.load import own_sections
from rungs.tables.configured import experiment_settings
from rungs.training.pieces import unused_by_model, unused_by_run
from snakemake.exceptions import WorkflowError

for path in (workflow.basedir, os.getcwd(), sys.executable):
    if "{" in path or "}" in path:
        raise WorkflowError(
            f"{path}: Snakemake takes braces for wildcards; use a path without them"
        )

CONFIG_FILES = [Path(workflow.basedir) / "config.yaml", *map(Path, workflow.overwrite_configfiles)]

try:
    SOURCES = [read_source(path) for path in CONFIG_FILES]
    SOURCES.append(Source("--config", workflow.config_settings.config))
    CONFIG = parse_config(config, SOURCES)
except UserError as error:
    raise WorkflowError(f"The configuration is refused before any job starts:\n{error}")

# Jobs run the interpreter that runs Snakemake, whether its environment is activated or not.
INTERPRETER = shlex.quote(str(Path(sys.executable).parent))
# SLURM sends SIGTERM to all processes of a job, and SIGKILL once the first has gone: the shell around
# a stage waits until the stage has written its checkpoint. (From bash 5.1 on there is no such shell.)
PATIENCE = "trap : TERM; " if "SLURM_JOB_ID" in os.environ else ""
shell.prefix(f"set -euo pipefail; {PATIENCE}export PATH={INTERPRETER}:$PATH; ")

# Corpora placed here are used without a network. Relative, so that a clone at another path
# runs the same commands.
DATA = os.path.relpath(Path(workflow.basedir) / "data")
SOURCE = Path(os.path.relpath(Path(workflow.basedir) / "src/rungs"))

# Asked of a cluster where the configuration insists on one; `auto` takes what is there.
GPUS = 1 if CONFIG.device == "cuda" else 0

# Runs that are taken from the archive, so that there are no weights of them here.
ARCHIVE = os.path.relpath(Path(workflow.basedir) / (CONFIG.archive or "none"))
try:
    ARCHIVED, UNLIKE_ARCHIVED = read_archive(CONFIG, Path(ARCHIVE)) if CONFIG.archive else ((), ())
except UserError as error:
    raise WorkflowError(str(error))

# What the archive knows of versions of the training code that are proved equal.
PROOFS = [file for file in [f"{ARCHIVE}/proofs.json"] if os.path.exists(file)]

# The published numbers are data of the package: an edit of one is an edit of an input.
PUBLISHED = sorted((SOURCE / "published").glob("*.yaml"))

# A reader's own published numbers. Read here once, so that a mistake is said before any job.
OWN_CLAIMS = [os.path.relpath(Path(workflow.basedir) / file) for file in CONFIG.claims]
try:
    refuse_unanswerable(own_sections([Path(file) for file in OWN_CLAIMS]), CONFIG)
except UserError as error:
    raise WorkflowError(str(error))


def options(given):
    """The words of a command, by option; what is no word or list of words is kept as JSON."""
    words = []
    for option, value in given.items():
        if isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict)):
            value = keep(canonical_json(value))
        values = value if isinstance(value, list) else [value]
        words += [f"--{option.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


EVALUATION = "results/evaluations/{corpus}/{budget}/{variant}/seed{seed}.json"

EXPERIMENTS = list(CONFIG.experiments)
# Of these kinds, each with tables and figures of its own.
ANSWERING, STEPPED = (
    [name for name in EXPERIMENTS if CONFIG.kind(name) == kind] for kind in ("answers", "steps")
)
CONTINUED = [name for name in EXPERIMENTS if CONFIG.experiments[name].continues]
IN_BYTES = CONFIG.measured_in_bytes()


wildcard_constraints:
    corpus="|".join(CONFIG.corpora),
    budget="|".join(CONFIG.budgets),
    variant="|".join(CONFIG.variants),
    experiment="|".join(EXPERIMENTS),
    seed="[0-9]+",
    kernel="[a-z_]+",
    probe="|".join(PROBES),
    tokens="[0-9]+",
