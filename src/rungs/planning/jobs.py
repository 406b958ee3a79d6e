"""The jobs that Snakemake would run now, and what each waits for."""

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rungs.errors import UserError

_NODE = re.compile(r'^\s*(\d+)\[label = "(.*)", color = .*style="([a-z,]+)"\];$')
_EDGE = re.compile(r"^\s*(\d+) -> (\d+)$")


class Job(NamedTuple):
    """One job that is to run."""

    rule: str
    wildcards: dict[str, str]
    after: tuple[int, ...]
    """Positions, in the list, of the jobs that it waits for; they come before it."""


def jobs_to_run(words: Sequence[str]) -> list[Job]:
    """Return what ``snakemake WORDS`` would run, every job after those that it waits for.

    Snakemake is asked in a process of its own, for the graph that it draws of its jobs.

    Raises:
        UserError: Snakemake refuses, in its own words.
    """
    command = [sys.executable, "-m", "snakemake", "--dag", "dot", *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if answer.returncode:
        raise UserError(f"Snakemake refuses:\n{_without_greeting(answer.stderr)}")
    return parse(answer.stdout)


def parse(dot: str) -> list[Job]:
    """Read Snakemake's drawing: a dashed job is finished, a label names what wildcards are new.

    A wildcard that a job shares with a job it waits for is not repeated in its label.
    """
    labels: dict[int, str] = {}
    to_run: set[int] = set()
    after: dict[int, list[int]] = {}
    for line in dot.splitlines():
        if node := _NODE.match(line):
            number = int(node[1])
            labels[number] = node[2]
            after.setdefault(number, [])
            if "dashed" not in node[3]:
                to_run.add(number)
        elif edge := _EDGE.match(line):
            after.setdefault(int(edge[2]), []).append(int(edge[1]))
    wildcards: dict[int, dict[str, str]] = {}
    positions: dict[int, int] = {}
    jobs: list[Job] = []
    for number in _in_order(after):
        rule, *new = labels[number].split("\\n")
        inherited = _common([wildcards[other] for other in after[number]])
        wildcards[number] = inherited | dict(word.split(": ", 1) for word in new)
        if number in to_run:
            positions[number] = len(jobs)
            waits = tuple(positions[other] for other in after[number] if other in to_run)
            jobs.append(Job(rule, wildcards[number], waits))
    return jobs


def _in_order(after: dict[int, list[int]]) -> list[int]:
    """Return the nodes so that each follows those that it waits for."""
    order: list[int] = []
    seen: set[int] = set()
    for start in after:
        stack = [start]
        while stack:
            number = stack[-1]
            waiting = [other for other in after[number] if other not in seen]
            if waiting and number not in seen:
                stack += waiting
                continue
            stack.pop()
            if number not in seen:
                seen.add(number)
                order.append(number)
    return order


def _common(all_wildcards: list[dict[str, str]]) -> dict[str, str]:
    """Return the wildcards on which all that have them agree."""
    merged: dict[str, str] = {}
    disputed: set[str] = set()
    for wildcards in all_wildcards:
        for name, value in wildcards.items():
            if merged.setdefault(name, value) != value:
                disputed.add(name)
    return {name: value for name, value in merged.items() if name not in disputed}


def _without_greeting(stderr: str) -> str:
    """Return the part of Snakemake's words that says what is wrong."""
    greetings = ("Using workflow specific profile", "Config file", "Assuming unrestricted")
    lines = [line for line in stderr.strip().splitlines() if not line.startswith(greetings)]
    return "\n".join(lines[-20:])
