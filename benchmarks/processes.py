"""Whole processes: what starting, tokenizing, training one step and having nothing to do cost."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rungs.training.budget import Budget

ROOT = Path(__file__).parents[1]
ONE_STEP = Budget(steps=1, batch_size=1, context_length=16)


def main() -> None:
    """Print a row for each process, medians over the rounds, the processes in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--text", type=Path, help="a corpus to tokenize, such as data/*.txt")
    parser.add_argument(
        "finished", nargs="*", metavar="-- SNAKEMAKE OPTIONS",
        help="of a finished workflow, to do nothing",
    )  # fmt: skip
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        timed = commands(Path(folder), arguments.text, arguments.finished)
        measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in timed}
        for _ in range(arguments.rounds):
            for name, words in timed.items():
                measured[name].append(measure(words))
    print("| process | s, median (range) | CPU s | peak MiB |")
    print("| --- | --- | --- | --- |")
    for name, rows in measured.items():
        wall, cpu, memory = zip(*rows, strict=True)
        print(
            f"| {name} | {statistics.median(wall):.2f} ({min(wall):.2f}-{max(wall):.2f}) "
            f"| {statistics.median(cpu):.2f} | {max(memory):.0f} |"
        )


def commands(folder: Path, text: Path | None, finished: list[str]) -> dict[str, list[str]]:
    """Return the processes by name, after writing what they read into ``folder``."""
    python = sys.executable
    subprocess.run(
        [python, "-m", "rungs", "generate-corpus", "--stories", "50", "--seed", "0",
         "--output", folder / "text.txt", "--entropy", folder / "entropy.json"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    small = tokenize(folder / "text.txt", folder, 300)
    subprocess.run(small, check=True, stdout=subprocess.DEVNULL)
    found = {
        "import torch": [python, "-c", "import torch"],
        "a table's imports": [python, "-m", "rungs", "table", "--help"],
        "a run's imports": [python, "-m", "rungs", "train", "--help"],
        "a run of one step": [
            *(python, "-m", "rungs", "train", "--train", str(folder / "train.npy")),
            *("--validation", str(folder / "validation.npy")),
            *("--corpus", str(folder / "summary.json"), "--architecture", json.dumps({})),
            *("--budget", ONE_STEP.canonical(), "--seed", "0"),
            *("--checkpoints", str(folder / "checkpoints"), "--output", str(folder / "run")),
        ],
    }
    if text is not None:
        found[f"tokenizing {text.name}"] = tokenize(text, folder / "tokens", 1_024)
    if finished:
        snakemake = str(Path(python).with_name("snakemake"))
        found["snakemake -n, nothing to do"] = [snakemake, "-n", *finished]
        found["snakemake, nothing to do"] = [snakemake, "--cores", "all", *finished]
        found["python -m rungs why, nothing to do"] = [python, "-m", "rungs", "why", *finished]
    return found


def tokenize(text: Path, folder: Path, vocabulary: int) -> list[str]:
    """Return the command that tokenizes ``text`` into ``folder``."""
    return [
        *(sys.executable, "-m", "rungs", "tokenize", "--text", str(text)),
        *("--vocabulary", str(vocabulary), "--validation-fraction", "0.1"),
        *("--tokenizer", str(folder / "tokenizer.json"), "--train", str(folder / "train.npy")),
        *("--validation", str(folder / "validation.npy")),
        *("--summary", str(folder / "summary.json")),
    ]


def measure(words: list[str]) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak MiB of one process."""
    started = time.perf_counter()
    process = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"failed: {' '.join(words)}")
    return wall, usage.ru_utime + usage.ru_stime, _mib(usage)


def _mib(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1_024  # Linux counts in KiB


if __name__ == "__main__":
    main()
