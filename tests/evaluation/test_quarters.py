"""A text in four parts."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rungs.evaluation.evaluate import quarters_of


@given(st.integers(5, 500))
def test_every_prediction_is_in_one_quarter(length: int) -> None:
    text = np.arange(length, dtype=np.uint16)
    parts = quarters_of(text)
    predictions = [pair for part in parts for pair in pairwise(part)]
    assert predictions == list(pairwise(text))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_a_quarter_reads_the_first_token_of_the_next() -> None:
    assert [part.tolist() for part in quarters_of(np.arange(9, dtype=np.uint16))] == [
        [0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8],
    ]  # fmt: skip
