"""Numbers and JSON given to a stage by hand: one line says what is wrong."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import SafetensorError

from rungs.arguments import is_out_of_memory, sentence
from rungs.cli import main
from rungs.corpus.tokens import save_tokens
from rungs.files import write_json

TRAIN = ["train", "--train", "../tokens.npy", "--validation", "../tokens.npy", "--checkpoints",
         "checkpoints", "--corpus", "../summary.json", "--output", "run"]  # fmt: skip
KERNEL = ["kernel", "--kernel", "naive", "--tokens", "64", "--width", "16", "--heads", "2",
          "--memory-budget-mib", "64", "--workspace-mib", "0", "--repeats", "1",
          "--output", "x.json"]  # fmt: skip
GENERATE = ["generate-corpus", "--stories", "2", "--seed", "0", "--output", "x", "--entropy", "y"]


def given(command: list[str], option: str, value: str) -> list[str]:
    changed = list(command)
    changed[changed.index(option) + 1] = value
    return changed


def train(architecture: str = "{}", budget: str = "{}", seed: str = "0") -> list[str]:
    return [*TRAIN, "--architecture", architecture, "--budget", budget, f"--seed={seed}"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (train("{x"), "architecture: Invalid JSON"),
        (train("[]"), "architecture: "),
        (train('{"heads": 3, "mixer": "attention"}'), "architecture: heads: 3 heads do not divide"),
        (train('{"head": 3}'), "architecture: head: Extra inputs"),
        (train(budget="{}}"), "budget: Invalid JSON"),
        (train(budget='{"steps": 0}'), "budget: steps: "),
        (train(seed="-1"), "--seed: -1 is too small; give 0 or more"),
        (train(seed=str(2**31)), "--seed: 2147483648 is too large; give 2147483647 or less"),
        (given(KERNEL, "--tokens", "0"), "--tokens: 0 is too small; give 1 or more"),
        (given(KERNEL, "--repeats", "0"), "--repeats: 0 is too small"),
        (given(KERNEL, "--heads", "-2"), "--heads: -2 is too small"),
        (given(KERNEL, "--heads", "3"), "width 16 does not divide into 3 heads"),
        (given(KERNEL, "--memory-budget-mib", "nan"), "--memory-budget-mib: nan is no amount"),
        (given(KERNEL, "--workspace-mib", "-1"), "--workspace-mib: -1 is no amount"),
        (given(GENERATE, "--stories", "0"), "--stories: 0 is too small"),
        (["parameters", "--models", "{x", "--output", "x"], "--models: Invalid JSON"),
        (["table", "--kind", "scores", "--measured", "x", "--experiment", "x",
          "--settings", "[", "--output", "x"],
         "--settings"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(
    command: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save_tokens(tmp_path / "tokens.npy", np.zeros(200, np.uint16))
    write_json(tmp_path / "summary.json", {"vocabulary": 5})
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert problem in error
    assert len(error.splitlines()) == 1
    assert not list(here.iterdir())


def test_a_full_disk_is_said_in_a_line_whatever_library_finds_it() -> None:
    words = "Error while serializing: I/O error: No space left on device (os error 28)"
    for problem in (SafetensorError(words), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))):
        said = sentence(problem) or ""
        assert said.startswith("the disk is full, make room and run again (")


def test_what_the_disk_refuses_is_said_in_a_line(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (loop, tmp_path, tmp_path / ("a" * 300)):
        with pytest.raises(OSError, match=r"Errno") as problem:
            path.read_bytes()
        assert (sentence(problem.value) or "").startswith(str(path)[:200] + ": cannot be used (")
    with pytest.raises((OSError, RuntimeError)) as problem:
        loop.resolve(strict=True)
    assert str(loop) in (sentence(problem.value) or "")
    with pytest.raises(RecursionError) as nested:
        json.loads("[" * 100_000)
    assert "nested too deeply" in (sentence(nested.value) or "")


def test_too_little_memory_is_said_in_a_line() -> None:
    with pytest.raises(RuntimeError) as problem:
        torch.empty(10**15)
    assert "too little memory here" in (sentence(problem.value) or "")
    assert "too little memory here" in (sentence(MemoryError()) or "")
    assert sentence(RuntimeError("shapes differ")) is None


@pytest.mark.parametrize(
    ("error", "failed"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 8.00 GiB."), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate"), True),
        (MemoryError(), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
    ],
)
def test_a_failed_allocation_is_no_defect(error: Exception, failed: bool) -> None:
    assert is_out_of_memory(error) == failed
