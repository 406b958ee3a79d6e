"""A working folder as a running Snakemake leaves it."""

import platform
from pathlib import Path

HEADER = """
SNAKEMAKE
=========
  Date: 2026-03-01 12:00:00
  Host: {host}
  Command: /bin/snakemake --cores 2 --configfile a.yaml b.yaml --config seeds=[0, 1]
  Snakefile: {root}/Snakefile
  Run directory: {root}

Building DAG of jobs...
Provided cores: 2
Job stats:
job         count
--------  -------
tokenize        1
train           4
evaluate        4
table           1
all             1
total          11

Select jobs to execute...
Execute 1 jobs...
[Sun Mar  1 12:00:05 2026]
Job 9: Learning the tokenizer of shakespeare, encoding and splitting
Reason: Missing output files: results/corpus/shakespeare/train.npy
[Sun Mar  1 12:00:15 2026]
Finished jobid: 9 (Rule: tokenize)
1 of 11 steps (9%) done
Execute 2 jobs...
[Sun Mar  1 12:00:15 2026]
Job 1: Training one_block on shakespeare, window_128, seed 0
[Sun Mar  1 12:00:15 2026]
Job 2: Training no_context on shakespeare, window_128, seed 0
"""

FIRST_RUN_DONE = """\
[Sun Mar  1 12:10:15 2026]
Finished jobid: 2 (Rule: train)
2 of 11 steps (18%) done
Execute 1 jobs...
[Sun Mar  1 12:10:15 2026]
Job 5: Evaluating no_context on shakespeare, window_128, seed 0
"""

FAILURE = """\
[Sun Mar  1 12:10:20 2026]
Error in rule evaluate:
    message: None
    jobid: 5
    input: results/runs/shakespeare/window_128/no_context/seed0/model.safetensors
    output: results/evaluations/shakespeare/window_128/no_context/seed0.json
    log: logs/evaluations/no_context.log (check log file(s) for error details)
    shell:
        python -m rungs evaluate
        (command exited with non-zero exit code)
"""

GOODBYE = "Complete log(s): /somewhere/x.snakemake.log\nElapsed time: 0:10:00\n"

ONE_BLOCK = "shakespeare/window_128/one_block"


def working_folder(folder: Path, *parts: str, host: str = "", locked: bool = True) -> Path:
    """Write a log of so many parts, and the locks of four runs."""
    logs, locks = folder / ".snakemake/log", folder / ".snakemake/locks"
    logs.mkdir(parents=True)
    text = "".join(parts).format(host=host or platform.node(), root=folder)
    (logs / "2026-03-01T120000.123456.snakemake.log").write_text(text)
    if locked:
        locks.mkdir()
        runs = [
            f"{variant}/seed{seed}" for variant in ("one_block", "no_context") for seed in (0, 1)
        ]
        lines = [
            f"results/runs/shakespeare/window_128/{run}/{file}"
            for run in runs
            for file in ("model.safetensors", "run.json")
        ]
        (locks / "0.output.lock").write_text("\n".join([*lines, "results/ladder.csv"]))
    return folder


def training_log(folder: Path, *lines: str) -> Path:
    """Write what the training of the one-block model has logged so far."""
    path = folder / f"logs/runs/{ONE_BLOCK}/seed0.log"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"12:05:00 {line}\n" for line in lines))
    return path
