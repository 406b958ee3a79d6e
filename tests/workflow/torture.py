"""Kill random processes of running workflows; every result must come out the same.

`python -m tests.workflow.torture --kills 1000 --seed 0`. Each round starts from nothing, ends with
every target made, and compares all results with an undisturbed run's. Any process may be killed:
the user's shell, Snakemake, the shell of a job, a job, or all of them as a terminal does.
`--record FILE` keeps the counts, and the same command goes on from the last whole round.
"""

import argparse
import contextlib
import json
import math
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from tests.workflow.processes import descendants, gone, is_snakemake, is_training
from tests.workflow.tree import Tree, plant

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP)
TARGETS = ("results/ladder.csv", "results/figures/ladder_learning_curves.svg", "results/memory.csv")
"""Every kind of stage, in few jobs: a corpus, runs, evaluations, a kernel, tables, a figure."""
WEIGHTS = {"training": 8, "stage": 8, "head": 1, "shell of a job": 2, "terminal": 0.2, "shell": 0.2}
"""How often what is killed, where there is one of it: there is always a head."""
PAUSES = (0.1, 4.0)
"""Seconds that a process has before it is killed, short and long ones equally often: a long one
lets jobs end."""
LONGEST_ROUND = 40
"""Kills after which a round is left alone to end, so that its results are compared."""
RETRIES = (0, 5)
"""How often Snakemake starts a killed job again: not, or so often that it seldom gives up."""
LONGEST_ATTEMPT = 600
"""Seconds after which a command that nobody kills any more hangs."""


def torture(tree: Tree, kills: int, seed: int, record: Path | None = None) -> Counter[str]:
    """Return how many processes of each kind were killed; none of it changed a result.

    Args:
        tree: where to work, without results.
        kills: how many processes to kill.
        seed: decides when, which and how.
        record: counts of whole rounds, to go on from and to keep.

    Raises:
        AssertionError: a command did not finish the work, or a result is another.
    """
    started = time.monotonic()
    tree.run(*TARGETS)
    expected = tree.content()
    print(f"undisturbed: {time.monotonic() - started:.0f} s", flush=True)
    rounds: list[dict[str, int]] = []
    if record and record.exists():
        rounds = json.loads(record.read_text())
    killed: Counter[str] = sum(map(Counter, rounds), Counter())
    while killed.total() < kills:
        chance = random.Random(f"{seed} {len(rounds)}")
        wanted = min(kills - killed.total(), LONGEST_ROUND)
        rounds.append(_round(tree, chance, wanted))
        assert tree.content() == expected, _differences(tree.content(), expected)
        killed.update(rounds[-1])
        if record:
            record.write_text(json.dumps(rounds))
        print(f"{killed.total()} kills of {kills}: results are the same so far", flush=True)
    return killed


def _round(tree: Tree, chance: random.Random, wanted: int) -> Counter[str]:
    for name in ("results", "logs", ".snakemake", ".rungs"):
        shutil.rmtree(tree.folder / name, ignore_errors=True)
    killed: Counter[str] = Counter()
    family: set[psutil.Process] = set()
    while _attempt(tree, chance, killed, family, wanted):
        pass
    gone(family)  # else a job that lost its Snakemake would write into the next round
    return killed


def _attempt(
    tree: Tree,
    chance: random.Random,
    killed: Counter[str],
    family: set[psutil.Process],
    wanted: int,
) -> bool:
    """Run the command once, killing meanwhile; return whether work is left."""
    log = tree.folder / "output.txt"
    with log.open("w") as output:
        retries = ("--retries", str(chance.choice(RETRIES)))
        shell = tree.start(*retries, "--", *TARGETS, output=output)
        family.add(psutil.Process(shell.pid))
        while killed.total() < wanted and _works(shell, family):
            kind = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            if not _victims(kind, shell.pid, family):
                time.sleep(0.2)
                family.update(descendants(shell.pid))
                continue
            time.sleep(math.exp(chance.uniform(*map(math.log, PAUSES))))
            family.update(descendants(shell.pid))
            if victims := _victims(kind, shell.pid, family):
                number = chance.choice(SIGNALS)
                with contextlib.suppress(ProcessLookupError):
                    kill = os.killpg if kind == "terminal" else os.kill
                    kill(chance.choice(victims), number)
                    killed[f"{kind} {number.name}"] += 1
        shell.wait(LONGEST_ATTEMPT)
    words = log.read_text()
    # Whoever sees that Snakemake is still running waits for it; nobody waits for its jobs.
    gone(filter(is_snakemake, family))
    if "cannot be locked" in words:
        assert "--unlock" in words
        tree.run("--unlock")
        return True
    return shell.returncode != 0


def _works(shell: subprocess.Popen[str], family: set[psutil.Process]) -> bool:
    """Say whether the user's shell or a Snakemake is there: one may outlive the other."""
    return shell.poll() is None or any(map(is_snakemake, family))


def _victims(kind: str, shell: int, family: set[psutil.Process]) -> list[int]:
    if kind == "terminal":
        return [shell]
    found = []
    for process in family:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and _kind(process, shell) == kind:
                found.append(process.pid)
    return sorted(found)


def _kind(process: psutil.Process, shell: int) -> str:
    if process.pid == shell:
        return "shell"
    if is_snakemake(process):
        return "head"
    if is_training(process):
        return "training"
    return "stage" if "rungs" in process.cmdline()[:4] else "shell of a job"


def _differences(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    names = sorted(found.keys() | expected.keys())
    return [name for name in names if found.get(name) != expected.get(name)]


def main() -> None:
    """Run the harness from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="counts of rounds, to go on from")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tree = plant(Path(name))
        tree.configure("seeds", [0])
        tree.configure("budgets.window_128.steps", 400)
        killed = torture(tree, arguments.kills, arguments.seed, arguments.record)
    for kind, count in sorted(killed.items()):
        print(f"{count:4} {kind}")
    print(f"{killed.total()} kills with seed {arguments.seed}: every result is the same")


if __name__ == "__main__":
    main()
