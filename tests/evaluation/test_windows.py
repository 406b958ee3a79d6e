"""A validation split shorter than a window is refused before training, not shown as whole."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from rungs.corpus.tokens import save_tokens
from rungs.errors import UserError
from rungs.evaluation.windows import refuse_unfilled_windows


@pytest.mark.parametrize("stage", ["train", "evaluate"])
def test_a_window_and_its_next_token_must_fit(tmp_path: Path, stage: str) -> None:
    validation = tmp_path / "validation.npy"
    asked = Namespace(
        stage=stage,
        validation=validation,
        budget='{"context_length": 20}',
        context_lengths=[10, 20],
    )
    save_tokens(validation, np.zeros(21, np.uint16))
    refuse_unfilled_windows(asked)
    save_tokens(validation, np.zeros(20, np.uint16))
    with pytest.raises(UserError, match=r"20 tokens do not fill one window of 20 .* larger valida"):
        refuse_unfilled_windows(asked)
