"""Stage ``figure-attention``: what each block looks at when the referent has to be named."""

from pathlib import Path
from typing import Annotated

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import weight_cells
from rungs.report.labels import as_sentence
from rungs.report.mapped import Sentence, differing_words, save_maps
from rungs.report.style import Png, Svg, Title

SHOWN = 0.01
"""A smaller weight is left to the colour: a zero in every cell would hide the others."""


def run(*, evaluation: Annotated[Path, "of a run, JSON"], title: Title, svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    return save_maps(evaluation, title, svg, png, draw, describe)


def draw(sentences: list[Sentence]) -> Figure:
    """Return the figure: for each sentence a strip a block, one cell a word, weights written out.

    Args:
        sentences: words and maps of sentences up to the answering position.
    """
    blocks, differing = len(sentences[0].blocks), differing_words(sentences)
    figure = Figure(figsize=(style.WIDTH, (1.0 + 0.36 * blocks) * len(sentences)))
    panels = figure.subplots(len(sentences), squeeze=False)
    for ax, sentence in zip(panels.flat, sentences, strict=True):
        _strips(ax, sentence, differing)
    return figure


def _strips(ax: Axes, sentence: Sentence, differing: list[str]) -> None:
    rows = [weights[-1] for weights in sentence.blocks]
    weight_cells(ax, rows, sentence.words, [f"block {n}" for n in range(1, len(rows) + 1)])
    for block, row in enumerate(rows):
        for position, weight in enumerate(row):
            if weight >= SHOWN / 2:
                ax.text(
                    position, block, f"{weight:.2f}", ha="center", va="center_baseline",
                    fontsize=8.5, color=style.text_on(style.WEIGHTS(weight)),
                )  # fmt: skip
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", rotation=40)
    for label in ax.get_xticklabels():
        label.set_horizontalalignment("left")
        if label.get_text() in differing:
            label.set(color=style.VERMILLION, fontweight="bold")


def describe(sentences: list[Sentence], title: str) -> str:
    """Return the figure's larger numbers in words."""
    parts = [f"{as_sentence(title)} Attention weights at the answering position, mean over heads."]
    for sentence in sentences:
        parts.append(f"{' '.join(sentence.words)}.")
        for number, weights in enumerate(sentence.blocks, start=1):
            named = [
                f"{word} {weight:.2f}"
                for word, weight in zip(sentence.words, weights[-1], strict=True)
                if weight >= 0.05
            ]
            parts.append(f"Block {number}: {', '.join(named)}.")
    return " ".join(parts)
