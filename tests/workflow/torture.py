"""Kill random processes of running workflows; every result must come out the same.

`python -m tests.workflow.torture --kills 200 --seed 0`. Each round starts from nothing and ends
with every result made, and compares all of them with an undisturbed run's. Any process may be
killed: the shell, Snakemake, the shell of a job, a job.
"""

import argparse
import contextlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from tests.workflow.processes import descendants, gone, is_snakemake
from tests.workflow.tree import Tree, plant

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
KILLS_PER_UNDISTURBED_RUN = 12
LONGEST_ROUND = 40
"""Kills after which a round is left alone to end, so that its results are compared."""


def torture(undisturbed: Tree, folder: Path, kills: int, seed: int, seconds: float) -> Counter[str]:
    """Return how many processes of each kind were killed; none of it changed a result.

    Args:
        undisturbed: a finished tree.
        folder: where to work; it must not exist.
        kills: how many processes to kill.
        seed: decides when, which and how.
        seconds: how long an undisturbed run takes.

    Raises:
        AssertionError: a command did not finish the work, or a result is another.
    """
    chance = random.Random(seed)
    expected = undisturbed.content()
    killed: Counter[str] = Counter()
    while killed.total() < kills:
        shutil.rmtree(folder, ignore_errors=True)
        tree = _unfinished(undisturbed, folder)
        wanted = min(kills, killed.total() + LONGEST_ROUND)
        while _attempt(tree, chance, killed, wanted, seconds / KILLS_PER_UNDISTURBED_RUN):
            pass
        assert tree.content() == expected, _differences(tree.content(), expected)
        print(f"{killed.total()} kills of {kills}: results are the same so far", flush=True)
    return killed


def _unfinished(finished: Tree, folder: Path) -> Tree:
    tree = finished.copy(folder)
    for name in ("results", "logs", ".snakemake", ".rungs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return tree


def _attempt(
    tree: Tree, chance: random.Random, killed: Counter[str], wanted: int, pause: float
) -> bool:
    """Run the command once, killing meanwhile; return whether work is left."""
    family: set[psutil.Process] = set()
    log = tree.folder / "output.txt"
    with log.open("w") as output:
        shell = tree.start(output=output)
        while killed.total() < wanted:
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(chance.uniform(0, 2 * pause))
                break
            family.update(descendants(shell.pid))
            _kill_one([psutil.Process(shell.pid), *family], chance, killed)
        shell.wait()
    words = log.read_text()
    # Whoever sees that Snakemake is still running waits for it; nobody waits for its jobs.
    gone(filter(is_snakemake, family))
    if "cannot be locked" in words:
        assert "--unlock" in words
        tree.run("--unlock")
        return True
    return shell.returncode != 0


def _kill_one(family: list[psutil.Process], chance: random.Random, killed: Counter[str]) -> None:
    alive = sorted((p for p in family if p.is_running()), key=lambda process: process.pid)
    if not alive:
        return
    victim, number = chance.choice(alive), chance.choice(SIGNALS)
    with contextlib.suppress(psutil.Error):
        kind = _kind(victim)
        victim.send_signal(number)
        killed[f"{kind} {number.name}"] += 1


def _kind(process: psutil.Process) -> str:
    if is_snakemake(process):
        return "Snakemake"
    return "job" if "rungs" in process.cmdline()[:4] else "shell"


def _differences(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    names = sorted(found.keys() | expected.keys())
    return [name for name in names if found.get(name) != expected.get(name)]


def main() -> None:
    """Run the harness from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "undisturbed")
        folder.mkdir()
        undisturbed = plant(folder)
        undisturbed.configure("budgets.window_128.steps", 400)
        started = time.monotonic()
        undisturbed.run()
        seconds = time.monotonic() - started
        print(f"undisturbed: {seconds:.0f} s", flush=True)
        killed = torture(undisturbed, Path(name, "clone"), arguments.kills, arguments.seed, seconds)
    for kind, count in sorted(killed.items()):
        print(f"{count:4} {kind}")
    print(f"{killed.total()} kills with seed {arguments.seed}: every result is the same")


if __name__ == "__main__":
    main()
