"""Answers and attention of models whose behaviour is known."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rungs.corpus.generate_referents import word_tokenizer
from rungs.corpus.referents import CROSSED, CROSSER, ROLES, VOCABULARY, sentences
from rungs.corpus.tokens import save_tokens
from rungs.digest import file_digest
from rungs.errors import UserError
from rungs.evaluation import referents as stage
from rungs.evaluation.referent_attention import compare, weights_by_adjective
from rungs.model.architecture import Architecture
from rungs.model.attention import Attention
from rungs.model.language_model import LanguageModel
from rungs.model.observe import attention_maps
from rungs.training.checkpoint import save_weights
from tests.typed import typed

TOKENIZER = word_tokenizer()
PAIRS = [("animal", "street"), ("street", "dog"), ("river", "road")]
TWO_BLOCKS = {
    "width": 32, "depth": 2, "mixer": "attention", "heads": 4, "feed_forward": True,
    "normalization": "pre", "positions": "learned", "position_rows": 18,
}  # fmt: skip


def tokens(about: list[tuple[str, str]]) -> Tensor:
    return torch.tensor([TOKENIZER.encode(text).ids for text in sentences(about)])


def model(**changes: object) -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(Architecture.model_validate(TWO_BLOCKS | changes), len(VOCABULARY))


class Says(nn.Module):
    """Answers each prompt by a rule."""

    def __init__(self, rule: Callable[[list[str]], str]) -> None:
        super().__init__()
        self.rule = rule

    def forward(self, prompts: Tensor) -> Tensor:
        words = [[TOKENIZER.id_to_token(token) for token in row] for row in prompts.tolist()]
        assert {(row[0], row[-2], row[-1], len(row)) for row in words} == {("the", "so", "the", 15)}
        answers = torch.tensor([TOKENIZER.token_to_id(self.rule(row)) for row in words])
        logits = F.one_hot(answers, len(VOCABULARY)).double()
        return logits[:, None].expand(-1, 15, -1)


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (lambda words: words[1], 50, 50),
        (lambda words: words[6], 50, 50),
        (lambda words: words[1] if ROLES[words[11]] == "crosser" else words[6], 100, 0),
        (lambda words: words[6] if ROLES[words[11]] == "crosser" else words[1], 0, 100),
        (lambda _: "waited", 0, 0),
        (lambda _: "street", 100 / 3, 100 / 3),  # is in two of three pairs, each role half the time
    ],
)
def test_answers_of_known_models(
    rule: Callable[[list[str]], str], right: float, wrong: float
) -> None:
    assert stage.answers(Says(rule), tokens(PAIRS)) == {
        "accuracy": pytest.approx(right),
        "wrong_noun": pytest.approx(wrong),
        "anything_else": pytest.approx(100 - right - wrong),
        "chance": 50,
    }


def test_maps_are_what_each_block_averages_by() -> None:
    deep = model().double()
    prompt = tokens(PAIRS[:1])[:, :15]
    first, second = attention_maps(deep, prompt)
    x = deep.embedding(prompt) + deep.position_table.weight[:15]
    for block, found in zip(deep.blocks, (first, second), strict=True):
        q, k, _ = block.mixer.function.queries_keys_values(block.mixer.before(x))
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / 8**0.5
        expected = torch.stack([
            torch.stack([
                F.pad(scores[b, :, t, : t + 1].softmax(-1), (0, 14 - t)) for t in range(15)
            ], 1)
            for b in range(len(prompt))
        ])  # fmt: skip
        assert torch.allclose(found, expected, rtol=0, atol=1e-12)
        x = block(x)
    assert attention_maps(model(mixer="average", heads=1), prompt) == []


def test_only_what_the_second_block_looks_at_can_depend_on_the_adjective() -> None:
    differences = compare(attention_maps(model(), stage.example_prompts(TOKENIZER)))
    for block in (1, 2):
        assert differences[f"block_{block}_before"] < 1e-6
        assert differences[f"block_{block}_row"] > 1e-4
    assert differences["block_1_others"] < 1e-6
    assert differences["block_2_others"] > 1e-4


def test_a_map_that_sees_the_adjective_early_is_noticed() -> None:
    """Without the causal mask, rows before the adjective depend on it."""
    differences = compare(attention_maps(model(causal=False), stage.example_prompts(TOKENIZER)))
    assert differences["block_1_before"] > 1e-3


def test_weights_are_means_over_heads_and_sentences() -> None:
    maps = torch.zeros(3, 2, 15, 15)
    maps[0, 0, -1, CROSSER] = 1.0
    maps[1, :, -1, CROSSED] = 0.5
    maps[2, :, -1, 11] = 1.0
    found = weights_by_adjective([maps], ["tired", "tired", "wet"])
    assert found == {
        "block_1_tired_first_noun": 0.25,
        "block_1_tired_second_noun": 0.25,
        "block_1_tired_adjective": 0.0,
        "block_1_wet_first_noun": 0.0,
        "block_1_wet_second_noun": 0.0,
        "block_1_wet_adjective": 1.0,
    }


def evaluate(
    folder: Path, trained: LanguageModel, weights_sha256: str | None = None
) -> dict[str, object]:
    """Run the stage on a model, with one pair to train on and two held out."""
    folder.mkdir(exist_ok=True)
    save_weights(folder / "model.safetensors", trained)
    (folder / "tokenizer.json").write_text(TOKENIZER.to_str())
    held_out = tokens(PAIRS[1:]).flatten().numpy().astype(np.uint16)
    training = tokens(PAIRS[:1]).flatten().numpy().astype(np.uint16)
    save_tokens(folder / "validation.npy", held_out)
    save_tokens(folder / "train.npy", np.concatenate([training, held_out[:1]]))
    described = {
        "architecture": trained.architecture.model_dump(mode="json"),
        "vocabulary": len(VOCABULARY), "parameters": 7,
        "weights_sha256": weights_sha256 or file_digest(folder / "model.safetensors"),
        "train_sha256": file_digest(folder / "train.npy"),
        "validation_sha256": file_digest(folder / "validation.npy"),
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(described))
    words = ["--run", str(folder), "--device", "cpu", "--output", str(folder / "out.json")]
    for name in ("tokenizer.json", "train.npy", "validation.npy"):
        words += [f"--{name.partition('.')[0]}", str(folder / name)]
    typed(stage, words)
    return json.loads((folder / "out.json").read_text())


def test_stage_writes_metrics_and_maps(tmp_path: Path) -> None:
    trained = model()
    found = evaluate(tmp_path, trained)
    metrics = found["metrics"]
    assert metrics["uniform_weight"] == pytest.approx(0.067, abs=0.0005)
    expected = stage.answers(trained, tokens(PAIRS[1:]))
    assert {name: metrics[name] for name in expected} == expected
    assert metrics["training_accuracy"] == stage.answers(trained, tokens(PAIRS[:1]))["accuracy"]
    assert sum(name.startswith("block_2_") for name in metrics) == 8 * 3
    tired, wet = found["attention"]
    assert " ".join(tired["words"]) == (
        "the animal did not cross the street because it was too tired , so the"
    )
    assert [a for a, b in zip(tired["words"], wet["words"], strict=True) if a != b] == ["tired"]
    assert np.array(tired["blocks"]).shape == (2, 15, 15)
    assert np.allclose(np.sum(wet["blocks"], axis=-1), 1, rtol=0, atol=1e-6)
    row = tired["blocks"][1][-1]
    assert metrics["example_block_2_tired_second_noun"] == row[CROSSED]


def test_without_attention_there_are_answers_and_no_maps(tmp_path: Path) -> None:
    found = evaluate(tmp_path, model(mixer="average", heads=1))
    assert "accuracy" in found["metrics"]
    assert not [name for name in found["metrics"] if "block" in name]
    assert {len(sentence["blocks"]) for sentence in found["attention"]} == {0}


def test_hooks_are_removed() -> None:
    trained = model()
    attention_maps(trained, tokens(PAIRS)[:, :15])
    assert not [m for m in trained.modules() if isinstance(m, Attention) and m._forward_pre_hooks]


def test_weights_that_the_run_does_not_describe_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"model\.safetensors: is not the file whose weights_sha256"
    ):
        evaluate(tmp_path, model(), weights_sha256="0")
