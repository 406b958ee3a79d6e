"""What is scored is a run that ended."""

from pathlib import Path

import numpy as np
import pytest

from rungs.cli import main
from rungs.corpus.tokens import save_tokens
from rungs.files import read_json, write_json

DESCRIBED = {"parameters": 7, "weights_sha256": "beef", "diverged_at_step": 212}


@pytest.mark.parametrize("stage", ["evaluate", "evaluate-referents"])
def test_a_run_that_diverged_is_not_scored(stage: str, tmp_path: Path) -> None:
    """Its last weights may have a loss, which would stand in a table as if it had ended."""
    write_json(tmp_path / "run.json", DESCRIBED | {"seconds": 3.0})
    words = [stage, "--run", str(tmp_path), "--output", str(tmp_path / "out.json")]
    for split in ("train", "validation"):
        save_tokens(tmp_path / f"{split}.npy", np.arange(20, dtype=np.uint16))
        words += [f"--{split}", str(tmp_path / f"{split}.npy")]
    words += ["--context-lengths", "8"] if stage == "evaluate" else ["--tokenizer", "none.json"]
    assert main(words) == 0
    assert read_json(tmp_path / "out.json") == DESCRIBED
