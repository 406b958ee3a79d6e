"""What `snakemake --report` shows: every figure with the page's caption, a category and labels."""

import json
import re
from pathlib import Path

import pytest

from tests.workflow.tree import plant
from tests.workflow.workflow import ROOT


def test_every_svg_of_the_rules_is_in_the_report() -> None:
    text = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    # As a pattern of all figures that are wanted, and where the rule of all figures makes them.
    assert re.findall(r"^ *svg=(.*)", text, re.MULTILINE) == ["report("]


@pytest.mark.workflow
def test_labels_and_captions_follow_the_configuration(tmp_path: Path) -> None:
    tree = plant(tmp_path)
    tree.configure("experiments.ladder.metric", "bits_per_byte")
    names = ("ladder", "score_scale", "loss_by_position")
    figures = [f"results/figures/{name}.svg" for name in names]
    (tmp_path / "results/figures").mkdir(parents=True)
    for figure in figures:
        (tmp_path / figure).write_text("<svg/>")
    tree.run("--report", "own.html", *figures)
    page = (tmp_path / "own.html").read_text()
    labels = [json.loads(found) for found in re.findall(r'"labels": (\{.*?\})', page)]
    assert sorted(labels, key=str) == [
        {"experiment": "ladder", "figure": "bits per byte"},
        {"experiment": "ladder", "figure": "loss by position"},
        {"experiment": "score_scale", "figure": "perplexity"},
    ]
    assert "Validation bits per byte of each row" in page
    assert "Validation perplexity of each row" in page
    assert "Loss at each position of a window" in page
