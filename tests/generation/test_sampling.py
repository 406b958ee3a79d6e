import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rungs.errors import UserError
from rungs.generation.sampling import draw
from rungs.generation.settings import Sampling

LOGITS = torch.tensor([0.5, 2.0, -1.0, 1.0, 1.5])


def shares(sampling: Sampling, draws: int = 4000) -> torch.Tensor:
    counts = torch.zeros(len(LOGITS))
    for step in range(draws):
        counts[draw(LOGITS, sampling, 0, step)] += 1
    return counts / draws


def largest(count: int) -> torch.Tensor:
    """The softmax over the largest logits alone."""
    least = LOGITS.sort(descending=True).values[count - 1]
    return LOGITS.masked_fill(least > LOGITS, -torch.inf).softmax(0)


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(), LOGITS.softmax(0)),
        (Sampling(temperature=0.5), (LOGITS / 0.5).softmax(0)),
        (Sampling(temperature=2), (LOGITS / 2).softmax(0)),
        (Sampling(top_k=2), largest(2)),
        (Sampling(top_k=99), LOGITS.softmax(0)),
        (Sampling(top_p=1), LOGITS.softmax(0)),
        # The probabilities are 0.10, 0.44, 0.02, 0.16 and 0.27, in the order of the ids.
        (Sampling(top_p=0.43), largest(1)),
        (Sampling(top_p=0.45), largest(2)),
        (Sampling(top_p=0.72), largest(3)),
        (Sampling(top_k=3, top_p=0.5), largest(1)),  # of the three, 0.51 is the first's
        (Sampling(temperature=0), largest(1)),
    ],
)
def test_tokens_are_drawn_as_often_as_they_should(
    sampling: Sampling, expected: torch.Tensor
) -> None:
    found = shares(sampling)
    assert (found[expected == 0] == 0).all()
    torch.testing.assert_close(found, expected, atol=0.03, rtol=0)


@given(st.integers(0, 2**31 - 1), st.integers(0, 10_000))
def test_a_draw_depends_on_seed_and_step_alone(seed: int, step: int) -> None:
    first = draw(LOGITS, Sampling(), seed, step)
    draw(LOGITS, Sampling(), seed, step + 1)
    assert draw(LOGITS + 1e-7, Sampling(), seed, step) == first


def test_seeds_differ() -> None:
    drawn = [[draw(LOGITS, Sampling(), seed, step) for step in range(20)] for seed in range(5)]
    assert len({tuple(tokens) for tokens in drawn}) == 5


@pytest.mark.parametrize("temperature", [0, 1])
def test_logits_of_a_diverged_model_are_refused(temperature: float) -> None:
    with pytest.raises(UserError, match="not finite"):
        draw(torch.full((5,), torch.nan), Sampling(temperature=temperature), 0, 0)
