"""What `snakemake --report` shows: every figure with a caption, a category and labels."""

import json
import re
from pathlib import Path

import pytest

from tests.workflow.tree import plant
from tests.workflow.workflow import ROOT

RULES = sorted((ROOT / "workflow/rules").glob("*.smk"))
FIGURE = re.compile(r"report\(\n(.*?)\n        \)", re.DOTALL)


def figures(path: Path) -> list[str]:
    return FIGURE.findall(path.read_text())


@pytest.mark.parametrize("path", [path for path in RULES if figures(path)], ids=lambda p: p.stem)
def test_every_figure_has_a_caption_that_exists(path: Path) -> None:
    text = path.read_text()
    assert len(figures(path)) == text.count("report(")
    for figure in figures(path):
        caption = re.search(r'caption="([^"]+)"', figure)
        assert caption, figure
        words = (path.parent / caption[1]).resolve().read_text().strip()
        assert words.endswith("."), caption[1]
        assert re.search(r'category="\w+"', figure), figure
        labels = r'labels=(\{"experiment": ("[^"]+"|IN_BYTES), "figure": "[^"]+"\}|labels_of_rows),'
        assert re.search(labels, figure), figure


def test_every_svg_is_in_the_report_and_every_caption_is_used() -> None:
    text = "".join(path.read_text() for path in RULES)
    shown = "".join(figure for path in RULES for figure in figures(path))
    drawn = re.findall(
        r'"results/figures/[^"]+\.svg"', text.replace("results/figures/{figure}", "")
    )
    assert drawn == re.findall(r'"results/figures/[^"]+\.svg"', shown)
    used = {*re.findall(r"report/([a-z_]+\.rst)", text + (ROOT / "Snakefile").read_text())}
    assert used == {path.name for path in (ROOT / "workflow/report").glob("*.rst")}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow/report").glob("*.rst")), ids=lambda p: p.stem
)
def test_no_caption_promises_intervals_of_one_seed(path: Path) -> None:
    words = " ".join(path.read_text().split())
    assert words.count("t-interval") == words.count("t-interval where there are several")


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
    assert "Validation bits per byte of each variant" in page
    assert "Validation perplexity of each variant" in page
