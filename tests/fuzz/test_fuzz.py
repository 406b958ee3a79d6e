"""Some hundred seeded cases; `python -m tests.fuzz` does ten thousand."""

import logging
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.__main__ import case, world_in
from tests.fuzz.areas import AREAS
from tests.fuzz.mutations import edited_words
from tests.fuzz.trial import Outcome, fault
from tests.fuzz.world import World

CASES = 80
"""Of each area."""
ONCE_FAULTS = [
    *(("results", 26, 844), ("results", 27, 1164), ("results", 27, 1259), ("results", 27, 2769)),
    *(("results", 28, 1919), ("results", 29, 5209), ("bundles", 28, 4162)),
    *(("commands", 30, 206), ("results", 30, 2739), ("results", 30, 6729), ("archives", 30, 4908)),
    *(("archives", 27, 1948), ("commands", 27, 2526), ("commands", 27, 2596)),
]
"""Area, seed and number of cases that ten thousand others found."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world")) as made:
        yield made


def printable(record: logging.LogRecord) -> bool:
    """Write what is no text as escapes: a worker cannot send it to its head otherwise."""
    record.msg = record.getMessage().encode("utf-8", "backslashreplace").decode()
    record.args = None
    return True


@pytest.fixture(autouse=True)
def log_that_can_be_sent() -> Iterator[None]:
    """Keep what pytest captures of the log encodable."""
    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(printable)
    yield
    for handler in handlers:
        handler.removeFilter(printable)


@pytest.mark.parametrize("area", AREAS)
def test_no_case_ends_in_a_traceback_or_a_wrong_number(world: World, area: str) -> None:
    for number in range(CASES):
        found, said, _ = case(world, area, seed=0, number=number)
        assert not found, f"python -m tests.fuzz --only {area} --case {number}: {said}\n{found}"


@pytest.mark.parametrize(("area", "seed", "number"), ONCE_FAULTS)
def test_what_was_found_stays_mended(world: World, area: str, seed: int, number: int) -> None:
    found, said, _ = case(world, area, seed, number)
    assert not found, f"{said}\n{found}"


def test_a_real_process_says_the_same(world: World) -> None:
    chance = random.Random(0)
    for words in (world.commands[name] for name in ("table ladder", "compare", "claims")):
        edited, _ = edited_words(words, chance)
        answer = subprocess.run(
            [sys.executable, "-m", "rungs", *edited], capture_output=True, text=True, check=False
        )
        assert not fault(Outcome(answer.returncode, answer.stdout, answer.stderr)), answer


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(0, "", ""), None),
        (Outcome(1, "found", ""), None),
        (Outcome(2, "", "12:00:00 reading\nerror: a.csv: has no rows\n"), None),
        (Outcome(2, "", "usage: ...\npython -m rungs table: error: a.csv\n"), None),
        (Outcome(None, "", ""), "ran for more"),
        (Outcome(3, "", ""), "status 3"),
        (Outcome(2, "", "Traceback (most recent call last):\nerror: a.csv\n"), "Traceback"),
        (Outcome(2, "", ""), "0 error lines"),
        (Outcome(2, "", "error: a.csv\nerror: b.csv\n"), "2 error lines"),
        (Outcome(2, "", "error: a.csv\nmore\n"), "the error is not the last"),
        (Outcome(0, "", "error: a.csv\n"), "status 0 beside an error"),
        (Outcome(2, "", "error: b\n"), "a.csv is not named"),
    ],
)
def test_the_judge_can_fail(outcome: Outcome, said: str | None) -> None:
    found = fault(outcome, of=Path("a.csv"))
    assert (found or "").startswith(said) if said else not found
