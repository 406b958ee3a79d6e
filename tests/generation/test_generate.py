"""The command and the stage that keeps samples, on a small run at its address."""

import json
from pathlib import Path

import pytest
import torch

from rungs.cli import main
from rungs.corpus.generate_referents import word_tokenizer
from rungs.corpus.generated import draw
from rungs.corpus.stories import MARKER
from rungs.corpus.tokenize_stories import learn
from rungs.digest import file_digest
from rungs.files import read_json, write_json, write_text
from rungs.generation.settings import Continuation
from rungs.model.architecture import Architecture
from rungs.model.language_model import LanguageModel
from rungs.training.checkpoint import save_weights

CONTEXT = 16


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never trained, hence as likely to say anything."""
    results = tmp_path_factory.mktemp("tree") / "results"
    tokenizer = learn(draw(30, 0).splitlines(), 290, results)
    write_text(results / "corpus/tales/tokenizer.json", tokenizer.to_str())
    architecture = Architecture(
        width=16, heads=2, mixer="attention", positions="learned", position_rows=CONTEXT
    )
    torch.manual_seed(0)
    folder = results / "runs/tales/short/gpt/seed0"
    save_weights(folder / "model.safetensors", LanguageModel(architecture, 290))
    write_json(
        folder / "run.json",
        {
            "architecture": json.loads(architecture.canonical()),
            "vocabulary": 290,
            "budget": {"context_length": CONTEXT},
            "weights_sha256": file_digest(folder / "model.safetensors"),
        },
    )
    return folder


def test_the_text_streams_and_is_the_same_without_the_cache(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for words in ([], ["--no-cache"], ["--seed", "1"]):
        assert main(["generate", str(run), "--prompt", "Once Ann", "--tokens", "40", *words]) == 0
        out = capsys.readouterr()
        summary = out.err.splitlines()[-1]
        texts.append(out.out)
        assert "tokens in" in summary
        assert f"slid 4 times beyond {CONTEXT} tokens" in summary or "the story ended" in summary
    assert texts[0].startswith("Once Ann")
    assert texts[0] == texts[1] != texts[2]


def test_that_it_slid_is_said_once_at_the_end(
    run: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    main(
        ["generate", str(run), "--prompt", "Once Ann gave", "--tokens", "30", "--temperature", "0"]
    )
    text, summary = capsys.readouterr()
    assert summary.count("beyond 16 tokens") == 1
    assert "forgotten" not in caplog.text
    assert text.startswith("Once Ann gave")
    assert " tokens in " not in text


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--prompt", ""], "--prompt: is empty"),
        (["--prompt", "a\udcff"], "--prompt: is not UTF-8"),
        (["--prompt", "x", "--seed", str(2**64)], "--seed: 18446744073709551616 is too large"),
        (["--prompt", "x", "--temperature", "1e-308"], "temperature: must be 0, or 0.001 or more"),
        (["--prompt", "x", "--top-p", "1.5"], "top_p"),
        (["--prompt", "x", "--tokens", "0"], "--tokens: 0 is too small"),
        (["--prompt", "x", "--tokenizer", "nowhere.json"], "nowhere.json: cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", str(run), *words]) == 2
    error = capsys.readouterr().err
    assert problem in error
    assert "Traceback" not in error


def test_a_folder_that_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", str(tmp_path), "--prompt", "x"]) == 2
    assert "run.json: cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(("prompt", "status"), [("the dog", 0), ("the zeppelin", 2)])
def test_a_language_of_words_is_written_in_words(
    tmp_path: Path, prompt: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = word_tokenizer()
    write_text(tmp_path / "results/corpus/referents/tokenizer.json", tokenizer.to_str())
    size = tokenizer.get_vocab_size()
    architecture = Architecture(width=16, mixer="average")
    run = tmp_path / "results/runs/referents/sentences/fair_average/seed0"
    save_weights(run / "model.safetensors", LanguageModel(architecture, size))
    write_json(
        run / "run.json",
        {
            "architecture": json.loads(architecture.canonical()),
            "vocabulary": size,
            "budget": {"context_length": 18},
            "weights_sha256": file_digest(run / "model.safetensors"),
        },
    )
    assert main(["generate", str(run), "--prompt", prompt, "--tokens", "5"]) == status
    out = capsys.readouterr()
    if status:
        assert "--prompt: has an unknown word; the corpus has only" in out.err
    else:
        assert len(out.out.split()) == 7


def test_a_sample_is_data(run: Path, tmp_path: Path) -> None:
    settings = Continuation(prompt="Once Ann", tokens=25, top_k=5)
    output = tmp_path / "seed3.json"
    tokenizer = run.parents[4] / "corpus/tales/tokenizer.json"
    words = ["--tokenizer", str(tokenizer), "--settings", settings.canonical(), "--seed", "3"]
    assert main(["sample-text", "--run", str(run), *words, "--output", str(output)]) == 0
    found = read_json(output)
    assert found["prompt"] == "Once Ann"
    assert MARKER not in found["text"]
    assert 1 <= found["distinct_tokens"] <= found["tokens"] <= 25
    assert found["ended"] == (found["tokens"] < 25)


@pytest.mark.parametrize("stage", ["generate", "sample-text"])
def test_a_run_that_diverged_writes_nothing(
    stage: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "run.json", read_json(run / "run.json") | {"diverged_at_step": 212})
    tokenizer = str(run.parents[4] / "corpus/tales/tokenizer.json")
    if stage == "generate":
        words = ["generate", str(tmp_path), "--prompt", "Once", "--tokenizer", tokenizer]
        assert main(words) == 2
        said = capsys.readouterr()
        assert f"error: {tmp_path}: its training diverged at step 212; choose" in said.err
        assert not said.out
        return
    words = ["--tokenizer", tokenizer, "--seed", "3", "--output", str(tmp_path / "out.json")]
    settings = Continuation(prompt="Once Ann").canonical()
    assert main(["sample-text", "--run", str(tmp_path), *words, "--settings", settings]) == 0
    found = read_json(tmp_path / "out.json")
    assert found["text"] == "Nothing: its training diverged at step 212."
    assert (found["prompt"], found["distinct_tokens"]) == ("Once Ann", None)


def test_weights_that_the_run_does_not_describe_are_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = run.parents[4] / "corpus/tales/tokenizer.json"
    for name in ("model.safetensors", "run.json"):
        (tmp_path / name).write_bytes((run / name).read_bytes())
    weights = bytearray((tmp_path / "model.safetensors").read_bytes())
    weights[-1] ^= 0x40
    (tmp_path / "model.safetensors").write_bytes(weights)
    words = ["generate", str(tmp_path), "--prompt", "Once", "--tokenizer", str(tokenizer)]
    assert main(words) == 2
    assert "model.safetensors: is not the file whose weights_sha256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [("architecture", {"widths": 3}, "widths: Extra inputs"), ("budget", {}, "context_length")],
)
def test_a_damaged_description_is_named(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    key: str,
    value: dict[str, int],
    problem: str,
) -> None:
    damaged = tmp_path / "seed0"
    write_json(damaged / "run.json", read_json(run / "run.json") | {key: value})
    tokenizer = str(run.parents[4] / "corpus/tales/tokenizer.json")
    assert main(["generate", str(damaged), "--prompt", "Ann", "--tokenizer", tokenizer]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"error: {damaged / 'run.json'}: ")
    assert problem in said
