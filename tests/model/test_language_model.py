"""The whole model: causality and counts for every variant of the shipped configuration."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2LMHeadModel

from rungs.config import read_config
from rungs.configuration.experiments import Variant
from rungs.model.accounting import count_parameters
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.model.scoring import evenly_spaced, random_windows, score, whole_text

CONFIG = read_config(Path(__file__).parents[2] / "config.yaml")
TRAINED = {name: v for name, v in CONFIG.variants.items() if not name.startswith("gpt2")}
CAUSAL = {name: v for name, v in TRAINED.items() if v.causal}
CPU = torch.device("cpu")


def length(variant: Variant, tokens: int = 24) -> int:
    """As many tokens, or as many as the variant's positions reach."""
    return min(tokens, variant.position_rows or tokens)


def build(architecture: Architecture, vocabulary: int = 40) -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(architecture, vocabulary).eval()


@pytest.mark.parametrize("variant", CAUSAL.values(), ids=CAUSAL)
def test_a_future_token_changes_nothing_before_it(variant: Variant) -> None:
    model = build(variant)
    tokens = torch.randint(0, 40, (1, length(variant)))
    logits = model(tokens)
    for perturbed_at in (1, 11, length(variant) - 1):
        perturbed = tokens.clone()
        perturbed[0, perturbed_at] = (perturbed[0, perturbed_at] + 1) % 40
        difference = (model(perturbed) - logits).abs().amax(dim=(0, 2))
        assert difference[:perturbed_at].max() == 0
        assert difference[perturbed_at] > 0


@pytest.mark.parametrize("variant", TRAINED.values(), ids=TRAINED)
def test_context_matters_exactly_where_a_mixer_brings_it(variant: Variant) -> None:
    model = build(variant)
    tokens = torch.randint(0, 40, (1, length(variant)))
    perturbed = tokens.clone()
    perturbed[0, -4] = (perturbed[0, -4] + 1) % 40
    difference = (model(perturbed) - model(tokens))[0, -1].abs().max()
    assert (difference > 0) == (variant.mixer != "none")


@pytest.mark.parametrize("variant", TRAINED.values(), ids=TRAINED)
def test_chunked_loss_and_gradient_equal_plain_cross_entropy(variant: Variant) -> None:
    model = build(variant).double()
    tokens, targets = torch.randint(0, 40, (2, 3, length(variant, 30)))
    chunked = model.loss(tokens, targets)
    chunked.backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    plain = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    plain.backward()
    assert chunked.item() == pytest.approx(plain.item(), rel=1e-12)
    for name, parameter in model.named_parameters():
        assert torch.allclose(parameter.grad, gradients[name], rtol=1e-9, atol=1e-14), name


def test_published_parameter_differences() -> None:
    total = {n: count_parameters(v, 1024)["total"] for n, v in TRAINED.items()}
    assert total["four_heads"] - total["one_head"] == 16_512
    assert total["one_block"] - total["feed_forward"] == 768
    assert total["two_blocks"] - total["one_block"] == 12 * 128**2 + 13 * 128 - 3 * 128


@pytest.mark.parametrize("variant", TRAINED.values(), ids=TRAINED)
def test_components_sum_to_the_model(variant: Variant) -> None:
    counts = count_parameters(variant, 1024)
    total = sum(parameter.numel() for parameter in build(variant, 1024).parameters())
    assert counts.pop("total") == total == sum(counts.values())


def test_gpt2_small_is_the_published_model() -> None:
    """124,439,808 parameters, and the same function as transformers' GPT-2 with our weights."""
    shape = CONFIG.variants["gpt2_small"]
    assert count_parameters(shape, 50_257) == {
        "token embedding": 38_597_376,
        "position embedding": 786_432,
        "attention": 12 * 4 * (768**2 + 768),
        "feed-forward": 12 * (8 * 768**2 + 5 * 768),
        "LayerNorm": 12 * 4 * 768 + 1_536,
        "output layer": 0,
        "total": 124_439_808,
    }
    small = shape.model_copy(update={"width": 32, "depth": 2, "heads": 4, "position_rows": 16})
    ours = build(small).double()
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=40, n_positions=16, n_embd=32, n_layer=2, n_head=4,
            activation_function="gelu", attn_pdrop=0.0, resid_pdrop=0.0, embd_pdrop=0.0,
        )
    ).double().eval()  # fmt: skip
    with torch.no_grad():
        theirs.transformer.wte.weight.copy_(ours.embedding.weight)
        theirs.transformer.wpe.weight.copy_(ours.position_table.weight)
        theirs.transformer.ln_f.load_state_dict(ours.final_norm.state_dict())
        for their_block, our_block in zip(theirs.transformer.h, ours.blocks, strict=True):
            mixer, feed_forward = our_block.mixer, our_block.feed_forward
            their_block.ln_1.load_state_dict(mixer.before.state_dict())
            their_block.ln_2.load_state_dict(feed_forward.before.state_dict())
            for conv, linear in (
                (their_block.attn.c_attn, mixer.function.qkv),
                (their_block.attn.c_proj, mixer.function.output),
                (their_block.mlp.c_fc, feed_forward.function[0]),
                (their_block.mlp.c_proj, feed_forward.function[2]),
            ):
                conv.weight.copy_(linear.weight.T)
                conv.bias.copy_(linear.bias)
    tokens = torch.randint(0, 40, (2, 16))
    assert torch.allclose(ours(tokens), theirs(tokens).logits, rtol=0, atol=1e-12)


def test_post_norm_normalises_the_residual_sum() -> None:
    model = build(Architecture(width=16, mixer="attention", normalization="post"))
    hidden = model.hidden(torch.randint(0, 40, (2, 9)))
    assert hidden.mean(-1).abs().max() < 1e-6
    assert (hidden.var(-1, unbiased=False) - 1).abs().max() < 1e-3


def test_dropout_acts_in_training_only() -> None:
    settings = {"width": 16, "mixer": "attention", "heads": 2, "feed_forward": True}
    plain = build(Architecture(**settings))
    dropped = build(Architecture(**settings, dropout=0.3))
    tokens = torch.randint(0, 40, (2, 9))
    assert torch.equal(dropped(tokens), plain(tokens))
    assert not torch.allclose(dropped.train()(tokens), plain(tokens))


def test_more_tokens_than_position_rows_is_an_error() -> None:
    model = build(Architecture(width=16, positions="learned", position_rows=8))
    with pytest.raises(IndexError):
        model(torch.zeros(1, 9, dtype=torch.int64))


@pytest.mark.parametrize(("length", "context_length"), [(65, 16), (70, 16), (9, 16), (2, 1)])
def test_every_token_is_scored_once(length: int, context_length: int) -> None:
    text = np.random.default_rng(0).integers(0, 40, length).astype(np.uint16)
    scored = torch.cat([targets.flatten() for _, targets in whole_text(text, context_length)])
    assert scored.tolist() == text[1:].tolist()


def test_score_is_the_mean_cross_entropy_of_each_window() -> None:
    model = build(Architecture(width=16, mixer="average", positions="sinusoidal"))
    text = np.random.default_rng(0).integers(0, 40, 39).astype(np.uint16)
    losses, by_position = [], [[] for _ in range(16)]
    for start in (0, 16, 32):
        window = torch.from_numpy(text[start : start + 17].astype(np.int64))
        logits = model(window[None, :-1]).double()
        for position, target in enumerate(window[1:]):
            loss = -logits[0, position].log_softmax(-1)[target].item()
            losses.append(loss)
            by_position[position].append(loss)
    result = score(model, whole_text(text, 16), CPU)
    assert result.tokens == 38
    assert result.loss == pytest.approx(np.mean(losses), rel=1e-6)
    assert result.loss_by_position == pytest.approx([np.mean(b) for b in by_position], rel=1e-6)


def test_sampled_windows_do_not_overlap_and_span_the_text() -> None:
    text = np.arange(1_000, dtype=np.uint16)
    inputs = torch.cat([inputs for inputs, _ in evenly_spaced(text, 10, 7)])
    assert inputs.shape == (7, 10)
    assert inputs[0, 0] == 0
    assert inputs[-1, -1] >= 980
    assert inputs.flatten().unique().numel() == 70


def test_random_windows_are_of_the_text_and_of_the_seed() -> None:
    text = np.arange(100, dtype=np.uint16)
    drawn = [
        torch.cat([torch.cat([i[:, :1], t], dim=1) for i, t in random_windows(text, 10, 500, seed)])
        for seed in (0, 0, 1)
    ]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    starts = drawn[0][:, :1]
    assert torch.equal(drawn[0], starts + torch.arange(11))
    assert set(starts.flatten().tolist()) == set(range(90)), "every start but those that run out"
