"""A row of which a seed diverged has a mark and words at its place, and no number."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes

from rungs.report import style
from rungs.report.answer_views import answers_view, attention_view
from rungs.report.experiment_views import experiment_views
from rungs.report.figures import (
    answers,
    learning_curves,
    lengths,
    loss_by_position,
    rows,
    steps,
)
from rungs.report.labels import diverged
from rungs.report.story_views import positions_view, samples_view, steps_view
from rungs.report.table_view import TableView
from tests.report import referent_results, test_stories
from tests.report import results_folder as hand

CELL, WORDS = "seed 1 at step 212", "diverged at step 212"
NUMBERS = (
    *("perplexity", "training_perplexity", "improvement", "accuracy", "wrong_noun", "loss"),
    *("anything_else", "validation_loss", "ratio", "first_noun_weight", "second_noun_weight"),
    "adjective_weight",
)


def ended(table: pd.DataFrame, variant: str) -> pd.DataFrame:
    """Return the table as it is where a seed of the variant diverged."""
    table = table.reset_index(drop=True).fillna(dict.fromkeys({"reference"} & {*table}, ""))
    of_variant = table["variant"] == variant
    numbers = [n for n in table if n.startswith(NUMBERS) and not n.endswith("published")]
    table.loc[of_variant, numbers] = float("nan")
    table.loc[of_variant, "seeds"] = 0
    table.loc[of_variant, "diverged"] = CELL
    return table


def test_several_seeds_have_every_step_once() -> None:
    assert diverged("seed 0 at step 3, seed 1 at step 212") == "diverged at step 3 and 212"
    assert diverged("seed 0 at step 3, seed 1 at step 3") == "diverged at step 3"
    assert diverged("") == ""


@pytest.mark.parametrize(
    ("view", "row"),
    [
        (experiment_views(ended(hand.ladder(), "one_block"), "t.csv")[0], 8),
        (experiment_views(ended(hand.ladder(), "one_block"), "t.csv")[1], 7),
        (experiment_views(ended(hand.positions(), "learned"), "t.csv")[0], 1),
        (answers_view(ended(referent_results.answers(), "fair_average"), "t.csv"), 2),
        (attention_view(ended(referent_results.attention(), "fair_two_blocks"), "", "t.csv"), 0),
        (steps_view(ended(test_stories.leak(), "gpt_unmasked"), "t.csv"), 3),
        (positions_view(ended(test_stories.by_position(), "gpt"), "t.csv"), 0),
    ],
)
def test_the_page_s_cells_say_at_which_step(view: TableView, row: int) -> None:
    assert WORDS in view.rows[row]
    assert not any("nan" in cell or "0 seeds" in cell for cells in view.rows for cell in cells)
    assert "0 to" not in view.caption


def test_a_text_that_was_not_written_has_no_count() -> None:
    written = pd.DataFrame(
        [{"label": "gpt", "seed": 0, "prompt": "Once", "text": "Nothing.", "tokens": 0,
          "distinct_tokens": float("nan"), "ended": ""}]
    )  # fmt: skip
    assert samples_view(written, "t.csv").rows == [["gpt", "Nothing.", "\N{EM DASH}"]]


def ladder() -> tuple[Axes, str]:
    table = ended(hand.ladder(), "one_block")
    return rows.draw(table, None).axes[0], rows.describe(table, "T", None)


def nothing_else() -> tuple[Axes, str]:
    table = ended(hand.ladder(published=False)[:1], "no_context")
    return rows.draw(table, None).axes[0], rows.describe(table, "T", None)


def positions() -> tuple[Axes, str]:
    table = ended(hand.positions(), "alibi")
    return lengths.draw(table, 64).axes[0], lengths.describe(table, "T", 64)


def answered() -> tuple[Axes, str]:
    table = ended(referent_results.answers(), "fair_average")
    return answers.draw(table).axes[0], answers.describe(table, "T")


def leak() -> tuple[Axes, str]:
    table = ended(test_stories.leak(), "gpt_unmasked")
    return steps.draw(table).axes[0], steps.describe(table, "T")


def by_position() -> tuple[Axes, str]:
    table = ended(test_stories.by_position(), "mlp")
    return loss_by_position.draw(table).axes[0], loss_by_position.describe(table, "T")


@pytest.mark.parametrize("drawn", [ladder, nothing_else, positions, answered, leak, by_position])
def test_a_figure_marks_the_row_and_says_so(drawn: Callable[[], tuple[Axes, str]]) -> None:
    with style.styled():
        ax, said = drawn()
        ax.figure.draw_without_rendering()
    assert sum(line.get_marker() == "X" for line in ax.lines) == 1
    assert sum(WORDS in text.get_text() for text in ax.texts) == 1
    assert WORDS in said
    assert "nan" not in said + "".join(text.get_text() for text in ax.texts)


@pytest.mark.parametrize("short", [[], [(100, 4.4)]])
def test_a_learning_curve_ends_with_a_mark(short: list[tuple[int, float]], tmp_path: Path) -> None:
    whole = [(100, 4.2), (200, 3.2)]
    histories, ends = [], {}
    for run, points in {"a/seed0": whole, "b/seed0": whole, "b/seed1": short}.items():
        histories.append(tmp_path / run / "history.jsonl")
        histories[-1].parent.mkdir(parents=True)
        entries = ({"step": s, "training_loss": 4.0, "validation_loss": loss} for s, loss in points)
        histories[-1].write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        ends[tmp_path / run] = 112 if run == "b/seed1" else None
    curves = learning_curves.read_curves(histories, {"a": "A", "b": "B"}, ends)
    with style.styled():
        ax = learning_curves.draw(curves).axes[0]
    (mark,) = (line for line in ax.lines if line.get_marker() == "X")
    top = ax.get_ylim()[1]
    assert list(mark.get_xdata()) == [112]
    assert list(mark.get_ydata()) == [pytest.approx(min(4.4, top) if short else top)]
    assert [text.get_text() for text in ax.texts] == ["A", "B, diverged at step 112"]
    mean = "4.30 at step 100" if short else "nothing"
    words = learning_curves.describe(curves, "T")
    assert words.endswith(f"B, diverged at step 112: {mean}."), "no mean over the seed that is left"
