"""A split that is too short, or of another vocabulary, is refused before a model reads it."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from rungs.corpus.tokens import save_tokens
from rungs.errors import UserError
from rungs.evaluation.windows import refuse_unreadable_tokens
from rungs.files import write_json


@pytest.mark.parametrize("stage", ["train", "evaluate"])
def test_a_window_and_its_next_token_must_fit(tmp_path: Path, stage: str) -> None:
    validation = tmp_path / "validation.npy"
    corpus = tmp_path / "summary.json"
    write_json(corpus, {"vocabulary": 5})
    asked = Namespace(
        stage=stage,
        train=validation,
        validation=validation,
        corpus=corpus,
        budget='{"context_length": 20}',
        context_lengths=[10, 20],
    )
    save_tokens(validation, np.zeros(21, np.uint16))
    refuse_unreadable_tokens(asked)
    save_tokens(validation, np.zeros(20, np.uint16))
    with pytest.raises(UserError, match=r"20 tokens do not fill one window of 20 .* larger valida"):
        refuse_unreadable_tokens(asked)
    if stage == "train":
        save_tokens(validation, np.full(21, 5, np.uint16))
        with pytest.raises(UserError, match=r"validation.npy: has a token 5, and .* has only 5"):
            refuse_unreadable_tokens(asked)
