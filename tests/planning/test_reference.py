"""Priorities, minutes and groups that the workflow asks for."""

from itertools import pairwise
from pathlib import Path

import pytest

from rungs.config import Config, read_config
from rungs.configuration.schema import Run
from rungs.planning import memory, reference

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
    for ask in (reference.run_minutes, reference.run_mib, reference.evaluation_mib):
        assert ask(config, run("one_block"), 2) == 2 * ask(config, run("one_block"), 1)


def test_the_minutes_are_those_of_the_reference_core(config: Config) -> None:
    seconds = reference.run_flops(config, run("one_block")) / reference.FLOPS_PER_SECOND
    assert 0 <= 60 * reference.run_minutes(config, run("one_block"), 1) - seconds < 60 + 60


@pytest.mark.parametrize("vocabulary", [1024, 65_536])
def test_a_run_asks_for_what_its_validations_hold(vocabulary: int) -> None:
    config = read_config(
        ROOT / "config.yaml", values=[f"corpora={{tinystories: {{vocabulary: {vocabulary}}}}}"]
    )
    for one in {one for name in config.experiments for one in config.runs(name)}:
        a, size = config.variants[one.variant], config.corpora[one.corpus].vocabulary
        assert reference.run_mib(config, one, 1) >= memory.scoring_mib(a, size)
        assert reference.evaluation_mib(config, one, 1) >= memory.scoring_mib(a, size)


def test_a_kernel_asks_for_its_matrices_only_where_it_stores_them(config: Config) -> None:
    asked = {
        (kernel, tokens): reference.kernel_mib(config, kernel, tokens, 1)
        for kernel in ("naive", "tiled")
        for tokens in (128, 4_096, 16_384)
    }
    assert asked["naive", 128] == asked["tiled", 128] == 500
    assert asked["tiled", 16_384] == 600
    assert asked["naive", 4_096] == 1_500
    assert asked["naive", 16_384] == 8_600  # its budget


def test_a_gpu_s_libraries_are_asked_for() -> None:
    config = read_config(ROOT / "config.yaml", values=["device=cuda"])
    assert reference.run_mib(config, run("no_context"), 1) == reference.CUDA_MIB
    assert reference.kernel_mib(config, "tiled", 128, 1) == reference.CUDA_MIB


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
