"""Denormal numbers are zeros in a run, and no weight of it differs by that."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training.test_train import corpus, weights, words

__all__ = ["corpus"]  # a fixture
PROGRAM = """
import contextlib
import functools
import sys
import torch
from rungs import cli
from rungs.training import train

def denormals():
    return "kept" if torch.tensor(1e-39) * 1 else "flushed"

original = train.run

@functools.wraps(original)  # whose signature is the command line
def run(**arguments):
    print("denormals:", denormals())
    return original(**arguments)

if sys.argv[1] == "kept":
    cli.flushed_denormals = contextlib.nullcontext
train.run = run
status = cli.main(sys.argv[2:])
print("afterwards:", denormals())
sys.exit(status)
"""


@pytest.mark.skipif(not torch.set_flush_denormal(False), reason="the processor cannot flush them")
def test_no_weight_differs_where_scores_run_away(corpus: Path, tmp_path: Path) -> None:
    sharp = {"heads": 1, "head_width": 4096, "divide_scores": False}
    for denormals in ("kept", "flushed"):
        command = words(corpus, tmp_path / denormals, steps=20, **sharp)
        run = [sys.executable, "-c", PROGRAM, denormals, *command]
        said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        assert f"denormals: {denormals}" in said
        assert "afterwards: kept" in said
    assert weights(tmp_path / "kept") == weights(tmp_path / "flushed")
