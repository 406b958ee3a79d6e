"""Every encoding of positions and every mixer: what holds of all of them holds of the next one.

`Relative` is a next one, as docs/adding.md shows how to add it: everything that is derived from an
encoding has to find it.
"""

import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from torch import Tensor

from rungs.code import Definition
from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel
from rungs.model.positions import Positions, encodings
from rungs.planning import flops, memory
from rungs.training.pieces import unused_by_model
from tests.planning.test_flops import counted

ADDING = Path(__file__).parents[2] / "docs/adding.md"
VOCABULARY, ROWS, WIDTH = 20, 24, 16
MIXERS = get_args(Architecture.model_fields["mixer"].annotation)
SHAPES = {
    "none": {"feed_forward": True},
    "average": {"depth": 2, "feed_forward": True, "normalization": "pre"},
    "window": {"window": 6, "hidden": 12, "residual": False},
    "attention": {"depth": 2, "heads": 4, "feed_forward": True, "normalization": "pre"},
}
OTHERS = {
    "post-norm, tied": {"depth": 2, "heads": 2, "mixer": "attention", "feed_forward": True,
                        "normalization": "post", "positions": "sinusoidal", "tied_output": True},
    "replacing": {"mixer": "attention", "residual": False, "divide_scores": False},
    "bigram": {"mixer": "window", "window": 1, "residual": False},
    "no context": {},
}  # fmt: skip
NAMES = [*encodings(), "relative"]
COMBINATIONS = [(mixer, positions) for mixer in MIXERS for positions in NAMES]


@pytest.fixture(scope="module", autouse=True)
def relative() -> Iterator[None]:
    """The example of docs/adding.md, defined while these tests run."""
    example = re.findall(r"```python\n(.*?)```", ADDING.read_text("utf-8"), re.DOTALL)[0]
    defined: dict[str, object] = {"Positions": Positions}
    exec(example, defined)
    yield
    defined.clear()
    gc.collect()  # a class is known to its base until it is collected


def architecture_of(mixer: str, positions: str, **keys: object) -> Architecture:
    """Return a small model, or skip where the encoding acts in attention and there is none."""
    encoding = encodings()[positions]
    if mixer != "attention" and encoding.in_attention():
        pytest.skip("refused, as another test holds")
    rows = {"position_rows": ROWS} if encoding.needs_rows else {}
    given = {"width": WIDTH, "mixer": mixer, "positions": positions, **SHAPES[mixer], **rows}
    return Architecture.model_validate(given | keys)


def model_of(architecture: Architecture) -> LanguageModel:
    torch.manual_seed(1)
    return LanguageModel(architecture, VOCABULARY).double().eval()


def _pieces_equal_the_whole(architecture: Architecture, sizes: list[int], batch: int) -> None:
    model = model_of(architecture)
    tokens = torch.randint(VOCABULARY, (batch, sum(sizes)))
    with torch.no_grad():
        whole = model(tokens)
        past = model.empty_past()
        pieces = [model.output(model.hidden(piece, past)) for piece in tokens.split(sizes, dim=1)]
    torch.testing.assert_close(torch.cat(pieces, 1), whole, atol=1e-12, rtol=1e-12)


PIECES = {
    "sizes": st.lists(st.integers(1, 6), min_size=1, max_size=4),
    "batch": st.integers(1, 3),
}


@pytest.mark.parametrize(("mixer", "positions"), COMBINATIONS)
@settings(max_examples=10)
@given(**PIECES)
def test_any_pieces_of_a_text_give_the_whole_text_s_logits(
    mixer: str, positions: str, sizes: list[int], batch: int
) -> None:
    _pieces_equal_the_whole(architecture_of(mixer, positions, dropout=0.5), sizes, batch)


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=10)
@given(**PIECES)
def test_so_do_other_shapes(name: str, sizes: list[int], batch: int) -> None:
    _pieces_equal_the_whole(
        Architecture.model_validate({"width": WIDTH, **OTHERS[name]}), sizes, batch
    )


@pytest.mark.parametrize("positions", NAMES)
def test_token_by_token_in_float32_they_agree_to_float32(positions: str) -> None:
    model = model_of(architecture_of("attention", positions)).float()
    tokens = torch.randint(VOCABULARY, (1, ROWS))
    past = model.empty_past()
    with torch.no_grad():
        one_by_one = [model.hidden(token, past) for token in tokens.split(1, dim=1)]
        torch.testing.assert_close(
            torch.cat(one_by_one, 1), model.hidden(tokens), atol=2e-6, rtol=2e-6
        )


@pytest.mark.parametrize("positions", NAMES)
def test_a_table_that_ends_is_an_error(positions: str) -> None:
    if not encodings()[positions].needs_rows:
        pytest.skip("reads any number of tokens")
    model = model_of(architecture_of("attention", positions))
    past = model.empty_past()
    model.hidden(torch.zeros(1, ROWS, dtype=torch.long), past)
    with pytest.raises(IndexError):
        model.hidden(torch.zeros(1, 1, dtype=torch.long), past)


def test_reading_on_leaves_the_model_as_it_is() -> None:
    model = model_of(architecture_of("attention", "rotary"))
    tokens = torch.randint(VOCABULARY, (1, 5))
    before = model(tokens)
    model.hidden(tokens[:, :3], model.empty_past())
    assert torch.equal(model(tokens), before)


@pytest.mark.parametrize(("mixer", "positions"), COMBINATIONS)
def test_what_follows_changes_nothing_before(mixer: str, positions: str) -> None:
    model = model_of(architecture_of(mixer, positions))
    tokens = torch.randint(VOCABULARY, (1, ROWS))
    logits = model(tokens)
    for changed_at in (1, 11, ROWS - 1):
        changed = tokens.clone()
        changed[0, changed_at] = (changed[0, changed_at] + 1) % VOCABULARY
        difference = (model(changed) - logits).abs().amax(dim=(0, 2))
        assert difference[:changed_at].max() == 0
        assert difference[changed_at] > 0


@pytest.mark.parametrize("positions", NAMES)
def test_order_is_told_by_every_encoding_and_without_one_by_the_mask_alone(positions: str) -> None:
    """The last token of one block is blind to the order before it, unless positions tell."""
    model = model_of(architecture_of("attention", positions, depth=1))
    tokens = torch.randperm(VOCABULARY)[None, :12]
    reordered = torch.cat((tokens[:, :11].flip(1), tokens[:, 11:]), 1)
    difference = (model(tokens) - model(reordered))[0, -1].abs().max()
    assert (difference > 1e-6) == (positions != "none")


@pytest.mark.parametrize("positions", NAMES)
def test_what_an_encoding_learns_has_a_gradient(positions: str) -> None:
    model = model_of(architecture_of("attention", positions))
    model.loss(*torch.randint(VOCABULARY, (2, 3, ROWS))).backward()
    tables = [p for name, p in model.named_parameters() if name.endswith("position_table.weight")]
    assert bool(tables) == encodings()[positions].needs_rows
    for table in tables:
        assert table.grad.abs().sum(1).min() > 0, "a row that no loss depends on"


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("positions", NAMES)
def test_the_map_applied_to_the_values_is_the_forward_pass(positions: str, causal: bool) -> None:
    if positions == "alibi" and not causal:
        pytest.skip("refused")
    torch.manual_seed(1)
    attention = Attention(architecture_of("attention", positions, causal=causal)).double()
    x = torch.randn(3, 10, WIDTH, dtype=torch.float64)
    _, _, v = attention.queries_keys_values(x)
    mixed = attention.scores(x).softmax(-1) @ v
    expected = attention.output(mixed.transpose(1, 2).flatten(2))
    assert torch.allclose(attention(x), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("mixer", "positions"), COMBINATIONS)
def test_the_plan_counts_its_parameters(mixer: str, positions: str) -> None:
    architecture = architecture_of(mixer, positions)
    held = sum(p.numel() for p in model_of(architecture).parameters())
    assert memory.parameters(architecture, VOCABULARY) == held


@pytest.mark.parametrize(("mixer", "positions"), COMBINATIONS)
def test_the_plan_counts_its_operations(mixer: str, positions: str) -> None:
    architecture = architecture_of(mixer, positions)
    model = LanguageModel(architecture, VOCABULARY)
    tokens = torch.zeros(3, ROWS, dtype=torch.long)
    ours = flops.forward(architecture, VOCABULARY, 3, ROWS)
    assert ours.total == counted(lambda: model(tokens))


@pytest.mark.parametrize(("mixer", "positions"), COMBINATIONS)
def test_the_plan_foresees_the_memory_of_a_step(mixer: str, positions: str) -> None:
    """What torch saves for the backward pass, and weights, gradients and moments, are in it."""
    windows, mebibyte = 64, 2**20
    architecture = architecture_of(mixer, positions, width=64)
    model = LanguageModel(architecture, VOCABULARY)
    saved: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model.loss(*torch.randint(VOCABULARY, (2, windows, ROWS)))
    weights = sum(4 * p.nbytes for p in model.parameters())
    held = (sum(saved.values()) + weights) / mebibyte
    foreseen = memory.step_mib(architecture, VOCABULARY, windows, ROWS) - memory.TORCH_MIB
    loss.backward()
    assert held < foreseen < 4 * held + 1


@pytest.mark.parametrize("mixer", [mixer for mixer in MIXERS if mixer != "attention"])
@pytest.mark.parametrize("positions", NAMES)
def test_one_that_acts_in_attention_is_refused_without_it(mixer: str, positions: str) -> None:
    encoding = encodings()[positions]
    given = {"width": WIDTH, "mixer": mixer, "positions": positions, **SHAPES[mixer]}
    if encoding.needs_rows:
        given["position_rows"] = ROWS
    if encoding.in_attention():
        with pytest.raises(ValidationError, match=f"{positions} has no effect with mixer: {mixer}"):
            Architecture.model_validate(given)
    else:
        Architecture.model_validate(given)


@pytest.mark.parametrize("positions", NAMES)
def test_a_run_s_digest_leaves_out_the_others(positions: str) -> None:
    left_out = unused_by_model(architecture_of("attention", positions))
    others = {encoding for name, encoding in encodings().items() if name not in (positions, "none")}
    assert {Definition("rungs.model.positions", encoding.__name__) for encoding in others} == {
        piece for piece in left_out if piece.module == "rungs.model.positions"
    }
