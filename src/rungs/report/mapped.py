"""The attention maps of an evaluation, as the figures read them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from matplotlib.figure import Figure
from pydantic import BaseModel, Field

from rungs.files import read_json
from rungs.reading import read_object, reading
from rungs.report import style
from rungs.report.labels import as_sentence, diverged
from rungs.tables.numbers import counted

Weight = Annotated[float, Field(ge=0, le=1.001)]


class Sentence(BaseModel):
    """A sentence up to the answering position, and what each position looks at."""

    words: list[str] = Field(min_length=1)
    blocks: list[list[list[Weight]]] = Field(min_length=1)
    """For each block a square of weights, the mean over heads; row t sums to one and is what
    position t looks at."""


class _Evaluation(BaseModel):
    attention: list[Sentence] = Field(min_length=1)


Drawn = Callable[[list[Sentence]], Figure]


def save_maps(
    evaluation: Path,
    title: str,
    svg: Path,
    png: Path,
    draw: Drawn,
    describe: Callable[[list[Sentence], str], str],
) -> str:
    """Draw the maps of a run's evaluation; of a run that diverged, say at which step it did.

    Raises:
        UserError: the evaluation is missing, or has no maps.
    """
    step = read_object(evaluation).get("diverged_at_step")
    with style.styled():
        if step is not None:
            figure, words = Figure(figsize=(style.WIDTH, 0.6)), diverged(f"at step {step}")
            figure.text(0.5, 0.5, f"\N{MULTIPLICATION SIGN} {words}", ha="center", va="center")
            style.save(figure, svg, png, title, f"{as_sentence(title)} The run {words}.")
            return f"{svg}: the run {words}"
        sentences = read_sentences(evaluation)
        style.save(draw(sentences), svg, png, title, describe(sentences, title))
    return f"{svg}: {counted(len(sentences), 'sentence')}"


def read_sentences(path: Path) -> list[Sentence]:
    """Return the sentences of a run's evaluation, with their maps.

    Raises:
        UserError: the file is missing, or has no maps.
    """
    with reading(path):
        return _Evaluation.model_validate(read_json(path)).attention


def differing_words(sentences: Sequence[Sentence]) -> list[str]:
    """Return of each sentence the word, or words, that are not the same in all of them."""
    columns = zip(*(sentence.words for sentence in sentences), strict=True)
    places = [place for place, words in enumerate(columns) if len(set(words)) > 1]
    return [" ".join(sentence.words[place] for place in places) for sentence in sentences]
