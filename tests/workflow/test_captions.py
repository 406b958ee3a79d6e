"""What `snakemake --report` shows: every figure with a caption, a category and labels."""

import re
from pathlib import Path

import pytest

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
        assert re.search(r'labels=\{"experiment": "[^"]+", "figure": "[^"]+"\}', figure), figure


def test_every_svg_is_in_the_report_and_every_caption_is_used() -> None:
    text = "".join(path.read_text() for path in RULES)
    shown = "".join(figure for path in RULES for figure in figures(path))
    drawn = re.findall(
        r'"results/figures/[^"]+\.svg"', text.replace("results/figures/{figure}", "")
    )
    assert drawn == re.findall(r'"results/figures/[^"]+\.svg"', shown)
    used = {*re.findall(r"report/([a-z_]+\.rst)", text + (ROOT / "Snakefile").read_text())}
    assert used == {path.name for path in (ROOT / "workflow/report").glob("*.rst")}
