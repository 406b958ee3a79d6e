"""Scores of token vectors, of one map and of two, beside a loop over pairs and what must hold."""

import math
from pathlib import Path

import pytest
import torch

from rungs.probes import raw_scores
from tests.probes.stages import by_seed, run

RAW, ONE, TWO = "token vectors", "one map for both", "a query and a key"


def test_a_token_chooses_itself_unless_its_roles_have_maps_of_their_own(tmp_path: Path) -> None:
    found = run(raw_scores, tmp_path, "--seeds", 5)
    assert by_seed(found, "chooses_itself", measure=RAW) == [1.0] * 5
    assert min(by_seed(found, "weight", measure=RAW)) > 0.99
    for kind in (RAW, ONE):
        differences, explained = (
            by_seed(found, m, measure=kind) for m in ("difference", "rounding")
        )
        assert max(differences) <= min(explained)
    assert min(by_seed(found, "chooses_itself", measure=ONE)) > 0.9
    assert min(by_seed(found, "difference", measure=TWO)) > 0.5
    # One of 16 by chance.
    assert max(by_seed(found, "chooses_itself", measure=TWO)) < 0.3


def test_the_relation_of_two_tokens_is_what_a_pocket_calculator_says() -> None:
    found = raw_scores.relation(torch.tensor([[2.0, 1.0], [4.0, 3.0]], dtype=torch.float64))
    own = (1 / (1 + math.exp(-1)) + 1 / (1 + math.exp(1))) / 2
    assert found == {
        "chooses_itself": 0.5,
        "weight": pytest.approx(own),
        "other_weight": pytest.approx(1 - own),
        "difference": 0.75,
        "rounding": 128 * 2**-52,
    }
