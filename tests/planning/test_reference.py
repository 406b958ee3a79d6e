"""Priorities, minutes and groups that the workflow asks for."""

from itertools import pairwise
from pathlib import Path

import pytest

from rungs.config import Config, read_config
from rungs.configuration.schema import Run
from rungs.planning import reference

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def config() -> Config:
    return read_config(ROOT / "config.yaml")


def run(variant: str) -> Run:
    return Run("shakespeare", "window_128", variant, 0)


def test_deeper_is_earlier(config: Config) -> None:
    order = ["two_blocks", "one_block", "four_heads", "no_context"]
    priorities = [reference.priority(reference.run_flops(config, run(v))) for v in order]
    assert all(first > second for first, second in pairwise(priorities))
    assert priorities[0] < reference.FIRST


def test_a_second_attempt_gets_twice_as_much(config: Config) -> None:
    for ask in (reference.run_minutes, reference.run_mib):
        assert ask(config, run("one_block"), 2) == 2 * ask(config, run("one_block"), 1)


def test_the_minutes_are_those_of_the_reference_core(config: Config) -> None:
    seconds = reference.run_flops(config, run("one_block")) / reference.FLOPS_PER_SECOND
    assert 0 <= 60 * reference.run_minutes(config, run("one_block"), 1) - seconds < 60 + 60


@pytest.mark.parametrize("overlay", [[], ["config/preview.yaml"]], ids=["full", "preview"])
def test_a_group_lasts_ten_minutes_on_a_fast_core(overlay: list[str]) -> None:
    config = read_config(ROOT / "config.yaml", *(ROOT / name for name in overlay))
    for one in {one for name in config.experiments for one in config.runs(name)}:
        size = reference.runs_per_group(config, one)
        operations = reference.run_flops(config, one)
        seconds = size * (5 + operations / (4 * reference.FLOPS_PER_SECOND))
        assert size in (1, 2, 4, 8, 16, 32), "the profile lists all of them"
        assert seconds >= 600 or size == reference.MOST_RUNS
        assert size == 1 or seconds < 2 * 600
