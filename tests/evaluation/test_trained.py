"""What is scored is a run that ended, with the bytes that it describes."""

from pathlib import Path

import pytest
import torch

from rungs.errors import UserError
from rungs.evaluation.trained import load_trained
from rungs.files import write_json


def test_a_run_that_diverged_is_not_scored(tmp_path: Path) -> None:
    """Its last weights may have a loss, which would stand in a table as if it had ended."""
    write_json(tmp_path / "run.json", {"diverged_at_step": 212})
    with pytest.raises(UserError, match=f"{tmp_path}: its training diverged at step 212; lower"):
        load_trained(tmp_path, tmp_path, tmp_path, torch.device("cpu"))
