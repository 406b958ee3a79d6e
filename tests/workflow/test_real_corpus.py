"""The corpus stages on the real text, as the workflow runs them."""

import json
from pathlib import Path

import pytest

from tests.workflow.workflow import Workflow

pytestmark = [pytest.mark.workflow, pytest.mark.real_data]


def from_address(folder: Path, text: Path) -> Workflow:
    """Return a workflow that downloads Shakespeare from the address of a local file."""
    overlay = folder / "local.yaml"
    overlay.write_text(
        "corpora: {shakespeare: {addresses: "
        f'["file:///nowhere/input.txt", "{text.as_uri()}"], file_name: not-in-data.txt}}}}'
    )
    return Workflow(folder, [overlay])


def test_the_published_token_count(tmp_path: Path, real_data: Path) -> None:
    workflow = from_address(tmp_path, real_data / "tinyshakespeare.txt")
    result = workflow.run("results/corpus/shakespeare/summary.json")
    assert "459,760 tokens, 2.43 characters per token" in result.stdout + result.stderr
    summary = json.loads((tmp_path / "results/corpus/shakespeare/summary.json").read_text())
    assert summary["characters"] == 1_115_394
    assert (summary["train_tokens"], summary["validation_tokens"]) == (413_784, 45_976)


def test_a_wrong_text_is_named_with_the_way_out(tmp_path: Path, real_data: Path) -> None:
    workflow = from_address(tmp_path, real_data / "tinystories-train-head.txt")
    result = workflow.run("results/corpus/shakespeare/summary.json", check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 1
    assert "file:///nowhere/input.txt" in output
    assert "expected 86c4e6aa" in output
    assert "put the file into" in output
    assert not (tmp_path / "results/corpus/shakespeare/text.txt").exists()
