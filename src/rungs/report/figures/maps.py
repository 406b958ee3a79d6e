"""Stage ``figure-maps``: whole attention maps, a row of the map for every position."""

from pathlib import Path
from typing import Annotated

from matplotlib.figure import Figure

from rungs.report import style
from rungs.report.axes import weight_cells
from rungs.report.labels import as_sentence
from rungs.report.mapped import Sentence, differing_words, save_maps
from rungs.report.style import Png, Svg, Title

PANEL = 3.95  # inches, with its labels


def run(*, evaluation: Annotated[Path, "of a run, JSON"], title: Title, svg: Svg, png: Png) -> str:
    """Draw the figure.

    Raises:
        UserError: a file cannot be read or written.
    """
    return save_maps(evaluation, title, svg, png, draw, describe)


def draw(sentences: list[Sentence]) -> Figure:
    """Return the figure: a row of panels a block, a column a sentence.

    Args:
        sentences: words and maps of sentences up to the answering position.
    """
    blocks = len(sentences[0].blocks)
    figure = Figure(figsize=(style.WIDTH, PANEL * blocks + 0.5))
    differing = differing_words(sentences)
    panels = figure.subplots(blocks, len(sentences), squeeze=False)
    for block in range(blocks):
        for column, sentence in enumerate(sentences):
            ax = panels[block, column]
            words = sentence.words
            cells = weight_cells(ax, sentence.blocks[block], words, words)
            ax.set_aspect("equal")
            ax.tick_params(axis="x", rotation=90)
            ax.tick_params(labelsize=8)
            ax.get_yticklabels()[-1].set_fontweight("bold")  # the answering position
            ax.set_title(f"block {block + 1}, {differing[column]}")
            if column == 0:
                ax.set_ylabel("looking from")
            if block == blocks - 1:
                ax.set_xlabel("at")
    bar = figure.colorbar(cells, ax=panels, location="top", aspect=60, shrink=0.6, pad=0.01)
    bar.set_label("attention weight, mean over heads")
    assert bar.solids is not None
    bar.solids.set_rasterized(False)
    bar.solids.set_edgecolor("face")  # no seams of the page's white between its shades
    bar.outline.set_visible(False)
    return figure


def describe(sentences: list[Sentence], title: str) -> str:
    """Return in words what the figure shows, and where the answering position looks most."""
    differing = differing_words(sentences)
    parts = [
        as_sentence(title),
        "Attention maps, mean over heads, each position against those it sees.",
    ]
    for column, sentence in enumerate(sentences):
        for number, weights in enumerate(sentence.blocks, start=1):
            weight, word = max(zip(weights[-1], sentence.words, strict=True))
            parts.append(
                f"{differing[column]}, block {number}: the answering position looks "
                f"most at {word}, {weight:.2f}."
            )
    return " ".join(parts)
