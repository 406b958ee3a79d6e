"""One run, the same to the bit: whatever the cores, the company and the place of the code."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rungs
from rungs.corpus.tokens import save_tokens

# Wide enough that torch would share the work among threads, if it had more than one.
BUDGET = '{"steps": 3, "batch_size": 32, "context_length": 64, "validate_every": 3}'
ARCHITECTURE = (
    '{"mixer": "attention", "heads": 4, "feed_forward": true, "normalization": "pre",'
    ' "positions": "rotary", "dropout": 0.1}'
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    text = np.random.default_rng(0).integers(0, 300, 9_000).astype(np.uint16)
    save_tokens(tmp_path / "train.npy", text[:8_000])
    save_tokens(tmp_path / "validation.npy", text[8_000:])
    (tmp_path / "summary.json").write_text('{"vocabulary": 300}')
    return tmp_path


def start(corpus: Path, output: Path, threads: int, package: Path) -> subprocess.Popen[bytes]:
    command = [
        *("train", "--train", "train.npy", "--validation", "validation.npy"),
        *("--corpus", "summary.json", "--architecture", ARCHITECTURE, "--budget", BUDGET),
        *("--seed", "1", "--device", "cpu", "--checkpoints", str(output / "checkpoints")),
        *("--output", str(output)),
    ]
    threads_wanted = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return subprocess.Popen(
        [sys.executable, "-m", "rungs", *command],
        cwd=corpus, env={**os.environ, **threads_wanted, "PYTHONPATH": str(package.parent)},
    )  # fmt: skip


def test_weights_do_not_depend_on_cores_company_or_place(corpus: Path, tmp_path: Path) -> None:
    here = Path(rungs.__file__).parent
    elsewhere = Path(shutil.copytree(here, tmp_path / "elsewhere" / "rungs"))
    alone = tmp_path / "alone"
    assert start(corpus, alone, 1, here).wait() == 0
    together = [
        (tmp_path / "two", start(corpus, tmp_path / "two", 2, elsewhere)),
        (tmp_path / "all", start(corpus, tmp_path / "all", os.cpu_count() or 1, here)),
    ]
    weights = (alone / "model.safetensors").read_bytes()
    for output, process in together:
        assert process.wait() == 0
        assert (output / "model.safetensors").read_bytes() == weights
