"""Damage everything that a person can damage: no traceback, no hang, no wrong number believed.

`python -m tests.fuzz --cases 10000 --seed 0`. A failing case says how to run it alone, in its
smallest form.
"""

import argparse
import contextlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.areas import AREAS, Edits, Result
from tests.fuzz.world import World

MOST_EDITS = 3


def case(world: World, area: str, seed: int, number: int) -> tuple[str | None, str, Edits]:
    """Run one case; return what is wrong, the case in words, and the fewest edits that show it."""
    chance = random.Random(f"{area} {seed} {number}")
    edits = [chance.randrange(2**32) for _ in range(chance.randint(1, MOST_EDITS))]
    target = chance.randrange(2**32)
    found, said = _attempt(world, area, target, edits)
    if found:
        for edit in list(edits):
            fewer = [other for other in edits if other != edit]
            again, words = _attempt(world, area, target, fewer)
            if fewer and again:
                found, said, edits = again, words, fewer
    return found, said, edits


def _attempt(world: World, area: str, target: int, edits: Edits) -> Result:
    try:
        return AREAS[area](world, random.Random(target), edits)
    finally:
        world.restore()


@contextlib.contextmanager
def world_in(folder: Path) -> Iterator[World]:
    """Yield a finished workflow in the folder, which is the current one meanwhile."""
    with contextlib.chdir(folder):
        yield World(folder)


def main() -> int:
    """Run the fuzzer from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="of all areas together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=AREAS, help="one area")
    parser.add_argument("--case", type=int, nargs="+", help="these cases of it alone")
    arguments = parser.parse_args()
    areas = [arguments.only] if arguments.only else list(AREAS)
    numbers = range(arguments.cases) if arguments.case is None else arguments.case
    faults: Counter[str] = Counter()
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, world_in(Path(name)) as world:
        for number in numbers:
            area = areas[number % len(areas)]
            found, said, _ = case(world, area, arguments.seed, number)
            done[area] += 1
            if found:
                faults[area] += 1
                print(
                    f"--only {area} --seed {arguments.seed} --case {number}: {said}\n{found}\n",
                    flush=True,
                )
            if done.total() % 500 == 0:
                print(f"{done.total()} cases, {faults.total()} faults", flush=True)
    for area, count in done.items():
        print(f"{area}: {count} cases, {faults[area]} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
