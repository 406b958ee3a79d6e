"""The figures: what is drawn is what the tables say, and equal tables give equal bytes."""

import importlib
import itertools
import json
import math
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from rungs.errors import UserError
from rungs.report import style
from rungs.report.axes import log_ticks
from rungs.report.catalogue import FIGURES
from rungs.report.figures import (
    answers,
    attention,
    averaging,
    cost,
    learning_curves,
    lengths,
    maps,
    parameters,
    rows,
    saturation,
    seed_noise,
    sharpness,
)
from rungs.report.mapped import Sentence
from rungs.report.single_seeds import read_seeds
from rungs.tables.reading import read_shown
from tests.report import referent_results
from tests.report import results_folder as hand
from tests.typed import typed

BY_DRAWING = {figure.drawing: figure for figure in FIGURES}


def _inputs(folder: Path, figure: str) -> list[object]:
    """Write what the stage reads and return its arguments, without the outputs."""
    if figure == "rows":
        table = hand.write_table(folder / "ladder.csv", hand.ladder())
        each = hand.write_table(folder / "each.csv", hand.observations(hand.ladder()))
        corpus = hand.write_json(folder / "summary.json", hand.summary(generated=True))
        return [
            *("--table", table, "--observations", each, "--corpus", corpus),
            *("--metric", "perplexity", "--title", "The ladder"),
        ]
    if figure == "lengths":
        table = hand.write_table(folder / "positions.csv", hand.positions())
        each = hand.write_table(folder / "each.csv", hand.observations(hand.positions()))
        return [
            *("--table", table, "--observations", each),
            *("--trained-length", 64, "--title", "Positions"),
        ]
    if figure == "cost":
        table = hand.write_table(folder / "memory.csv", hand.memory())
        fits = hand.write_table(folder / "exponents.csv", hand.exponents())
        return ["--table", table, "--exponents", fits, "--memory-budget-mib", 8192]
    if figure == "seed_noise":
        return ["--table", hand.write_table(folder / "seed_noise.csv", hand.seed_noise())]
    if figure == "parameters":
        table = hand.write_table(folder / "parameters.csv", hand.parameters())
        return ["--table", table, "--models", "one_block", "gpt2_small"]
    if figure == "averaging":
        table = hand.write_table(folder / "averaging.csv", hand.averaging())
        matrix = hand.write_table(folder / "averaging_matrix.csv", hand.averaging_matrix())
        return ["--table", table, "--matrix", matrix]
    if figure == "variance":
        return ["--table", hand.write_table(folder / "variance.csv", hand.variance())]
    if figure == "saturation":
        return ["--table", hand.write_table(folder / "saturation.csv", hand.saturation())]
    if figure == "raw_scores":
        return ["--table", hand.write_table(folder / "raw_scores.csv", hand.raw_scores())]
    if figure == "gradient_norms":
        table = hand.write_table(folder / "gradient_norms.csv", hand.gradient_norms())
        return ["--table", table, "--labels", json.dumps({"pre_norm": "pre-norm"})]
    if figure == "answers":
        table = hand.write_table(folder / "referents.csv", referent_results.answers())
        single = hand.observations(referent_results.answers(), "accuracy")
        each = hand.write_table(folder / "each.csv", single)
        return ["--table", table, "--observations", each, "--title", "Who waited?"]
    if figure in ("attention", "maps"):
        evaluation = hand.write_json(folder / "seed0.json", referent_results.evaluation())
        return ["--evaluation", evaluation, "--title", "Who waited?"]
    histories = hand.write_histories(folder, seeds=2)
    labels = json.dumps(hand.labels())
    for path in histories:
        hand.write_json(path.with_name("run.json"), {"diverged_at_step": None})
    return [
        *("--histories", *histories, "--labels", labels, "--title", "The ladder"),
        *("--descriptions", *(path.with_name("run.json") for path in histories)),
    ]


def _run(figure: str, words: list[object], svg: Path, png: Path) -> str:
    words = [*words, "--svg", svg, "--png", png]
    drawing = importlib.import_module(BY_DRAWING[figure].module)
    return typed(drawing, words)


EXPECTED_WORDS = {
    "rows": ["one head, replacing: 55.0 [53.7, 56.3]", "published 38.07", "below 26.4"],
    "lengths": ["ALiBi: 45.0 (published 44.95) at 64, 43.3 at 128", "learned: 41.2 at 64"],
    "cost": ["naive: 14.6 MiB at 128 tokens", "n^1.87", "out of memory at 16,384 tokens"],
    "parameters": ["GPT-2 small, 124,439,808 parameters", "attention 22.8 %"],
    "averaging": ["6 by 6", "average, window shuffled: 1.4e−7 in float32, 2.6e−16 in float64"],
    "variance": ["Width 256: 16.0, published 15.908; theory 16.0."],
    "saturation": [
        "Width 256, undivided: effective tokens of 64 1.40 (published 1)",
        "Width 1,024, divided: effective tokens of 64 40.2",
    ],
    "raw_scores": ["a query and a key: weight on itself 0.0612, asymmetry of the scores 1.31."],
    "gradient_norms": [
        "pre-norm, norm of the whole block: 0.180 (published 0.0498) in block 1",
        "post_norm, norm of W_o alone: 0.0974 in block 1, 0.135 in block 12",
    ],
    "answers": ["one block, fair: 94.4 [92.9, 95.9], published 92.7; the other noun 4.4."],
    "attention": ["Block 1: animal 0.70, street 0.06, , 0.05, the 0.19. Block 2: tired 1.00."],
    "maps": ["tired, block 1: the answering position looks most at animal, 0.70."],
    "seed_noise": [
        "ladder positions in the average: published 2.14, by seed 0.310, 2.90, −0.520",
        "luck of one seed 7.68, seeds needed 8",
    ],
    "learning_curves": ["two blocks: ", "3.75 at step 3,000"],
}


@pytest.mark.parametrize("figure", EXPECTED_WORDS)
def test_figure_repeats_its_bytes_and_says_its_numbers(figure: str, tmp_path: Path) -> None:
    words = _inputs(tmp_path, figure)
    files = [tmp_path / name for name in ("a.svg", "a.png", "b.svg", "b.png")]
    _run(figure, words, *files[:2])
    _run(figure, words, *files[2:])
    assert files[0].read_bytes() == files[2].read_bytes()
    assert files[1].read_bytes() == files[3].read_bytes()

    svg = files[0].read_text("utf-8")
    root = ElementTree.fromstring(svg)
    described = style.description(svg)
    for expected in EXPECTED_WORDS[figure]:
        assert expected in described
    # Nothing is fetched, and every glyph is an outline.
    links = [value for element in root.iter() for key, value in element.items() if "href" in key]
    assert all(link.startswith("#") for link in links)
    assert not list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert "<dc:date>" not in svg
    assert files[1].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("figure", EXPECTED_WORDS)
def test_nothing_reaches_beyond_the_edges(figure: str, tmp_path: Path) -> None:
    drawn: list[Figure] = []
    stage = importlib.import_module(f"rungs.report.figures.{figure}")
    words = _inputs(tmp_path, figure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "save", lambda figure, *_: drawn.append(figure))
        patch.setattr(stage, "describe", lambda *_: "")
        _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")
    with style.styled():
        drawn[0].draw_without_rendering()
        drawn[0].draw_without_rendering()
        box = drawn[0].get_tightbbox()
    width, height = drawn[0].get_size_inches()
    assert box.x0 > 0
    assert box.y0 > 0
    assert box.x1 < width
    assert box.y1 < height


def _legend(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def _texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_rows_are_drawn_from_top_to_bottom_where_the_table_says() -> None:
    table = hand.ladder()
    with style.styled():
        figure = rows.draw(table, None)
    ax = figure.axes[0]
    means, published = ax.lines[:2]
    assert list(means.get_xdata()) == table["perplexity"].tolist()
    assert list(means.get_ydata()) == list(range(10))
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert list(published.get_xdata())[8] == 38.07
    assert published.get_markerfacecolor() == "none"
    ends = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    assert ends == table[["perplexity_low", "perplexity_high"]].to_numpy().tolist()
    low, high = ax.get_xlim()
    assert low < table["perplexity_low"].min()
    assert high > table["perplexity_high"].max()


def test_each_seed_is_drawn_and_said_where_there_are_several(tmp_path: Path) -> None:
    for figure, said in {
        "rows": "one head, added\n46.0 [44.9, 47.1]\n45.8 (seed 0), 46.0 (seed 1), 46.2 (seed 2)",
        "lengths": "ALiBi, 64 tokens\n45.0 [43.9, 46.0]\npublished 44.95\n44.8 (seed 0)",
        "answers": "one block, fair\n94.4 [92.9, 95.9] %\npublished 92.7\n94.0 (seed 0)",
    }.items():
        _run(figure, _inputs(tmp_path, figure), tmp_path / "x.svg", tmp_path / "x.png")
        titles = ElementTree.parse(tmp_path / "x.svg").iter("{http://www.w3.org/2000/svg}title")
        assert any(said in (title.text or "") for title in titles), figure
    several = hand.observations(hand.ladder())
    path = hand.write_table(tmp_path / "each.csv", several)
    seeds = read_seeds(path, "perplexity", "context_length")
    with style.styled():
        strokes = [line for line in rows.draw(hand.ladder(), None, seeds=seeds).axes[0].lines
                   if line.get_marker() == "|"]  # fmt: skip
        one = {key: {0: values[0]} for key, values in seeds.items()}
        alone = rows.draw(hand.ladder(seeds=1), None, seeds=one).axes[0].lines
    assert sorted(strokes[0].get_xdata()) == pytest.approx(
        sorted(several["value"][several["metric"] == "perplexity"]), rel=1e-5
    )
    assert "|" not in {line.get_marker() for line in alone}


@pytest.mark.parametrize("figure", EXPECTED_WORDS)
def test_marks_say_what_they_are(figure: str, tmp_path: Path) -> None:
    """Of every figure: whoever points at a mark is told, and no words are lost on the way."""
    words = _inputs(tmp_path, figure)
    _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")
    svg = (tmp_path / "x.svg").read_text("utf-8")
    assert svg.count("<title>") > 4
    assert "says:" not in svg
    assert "curve:" not in svg
    for mark in ElementTree.fromstring(svg).iterfind(".//{*}g[@class='says']//{*}title"):
        assert mark.text
        assert "nan" not in mark.text


def test_one_seed_and_no_published_value_draw_no_empty_promises() -> None:
    with style.styled():
        figure = rows.draw(hand.ladder(seeds=1, published=False), None)
        full = rows.draw(hand.ladder(), None)
    assert _legend(figure) == ["reproduced"]
    assert "published" not in _texts(figure)
    assert len(_legend(full)) == 3
    assert "published" in _texts(full)
    words = rows.describe(hand.ladder(seeds=1, published=False), "T", None)
    assert "59.7 (1 seed)" in words
    assert "published" not in words


def test_floor_is_the_entropy_of_a_token() -> None:
    # A fair coin in characters, three characters a token: 2^3 equally likely tokens.
    assert rows.floor(
        {"entropy_per_character_nats": math.log(2), "characters_per_token": 3.0}
    ) == pytest.approx(8)
    assert rows.floor(hand.summary()) is None
    with style.styled():
        figure = rows.draw(hand.ladder(), 8.0)
    assert any("floor" in text for text in _texts(figure))
    assert figure.axes[0].get_xlim()[0] < 8


def test_labels_with_markup_are_drawn_as_they_are(tmp_path: Path) -> None:
    words = _inputs(tmp_path, "rows")
    table = hand.ladder()
    table.loc[0, "label"] = 'a $5$ <b>"deal"</b> & more ]]>'
    table.loc[1, "label"] = "NA"
    hand.write_table(tmp_path / "ladder.csv", table)
    words[-1] = 'it\'s <i>& "that"'
    _run("rows", words, tmp_path / "x.svg", tmp_path / "x.png")
    svg = (tmp_path / "x.svg").read_text("utf-8")
    ElementTree.fromstring(svg)
    described = style.description(svg)
    assert described.startswith('it\'s <i>& "that". Validation')
    assert 'a $5$ <b>"deal"</b> & more ]]>: 59.7' in described
    assert "NA: 248.1" in described


def test_letters_without_a_font_are_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(style, "FALLBACKS", ())
    words = _inputs(tmp_path, "rows")
    table = hand.ladder()
    table.loc[0, "label"] = "\N{HANGUL SYLLABLE HAN}\N{HANGUL SYLLABLE GUG}"
    hand.write_table(tmp_path / "ladder.csv", table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _run("rows", words, tmp_path / "x.svg", tmp_path / "x.png")
    (line,) = caplog.messages
    assert line.startswith(f"{tmp_path / 'x.svg'}: no known font has ")
    assert "\N{HANGUL SYLLABLE GUG}\N{HANGUL SYLLABLE HAN}, which are boxes" in line


def test_lengths_are_labelled_at_their_ends() -> None:
    with style.styled():
        figure = lengths.draw(hand.positions(), 64)
    ax = figure.axes[0]
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert {label for _, label in hand.POSITIONS} <= set(_texts(figure))
    assert "trained on 64 tokens" in _texts(figure)
    assert _legend(figure)[-1] == "published"
    assert ax.get_ylim()[1] > hand.positions()["perplexity_high"].max()
    with style.styled():
        assert not lengths.draw(hand.positions(published=False), 64).legends
        assert _legend(lengths.draw(hand.positions(seeds=1), 64)) == ["reproduced", "published"]


def test_cost_marks_what_did_not_fit_at_the_budget() -> None:
    with style.styled():
        figure = cost.draw(hand.memory(), hand.exponents(), 8192)
    memory, time = figure.axes
    crosses = [line for line in memory.lines if line.get_marker() == "x"]
    assert [list(line.get_xdata()) for line in crosses] == [[16384]]
    assert [list(line.get_ydata()) for line in crosses] == [[8192]]
    assert not [line for line in time.lines if line.get_marker() == "x"]
    assert [text.get_text() for text in memory.get_legend().get_texts()] == [
        "naive  $n^{1.87}$",
        "tiled  $n^{0.94}$",
    ]
    assert _legend(figure) == ["published", "memory budget", "out of memory, not run"]


def test_cost_without_fits_or_published_values(tmp_path: Path) -> None:
    words = _inputs(tmp_path, "cost")
    few = hand.memory(published=False)
    few = few[few["tokens"] == 128]
    hand.write_table(tmp_path / "memory.csv", few)
    hand.write_table(tmp_path / "exponents.csv", hand.exponents()[:0])
    _run("cost", words, tmp_path / "x.svg", tmp_path / "x.png")
    described = style.description((tmp_path / "x.svg").read_text("utf-8"))
    assert "n^" not in described
    with style.styled():
        assert _legend(cost.draw(few, hand.exponents()[:0], 64)) == ["memory budget"]


def test_parameter_bars_fill_the_whole() -> None:
    table = hand.parameters()
    models = [table[table["model"] == model] for model in ("one_block", "gpt2_small")]
    with style.styled():
        ax = parameters.draw(models).axes[0]
    ends: dict[float, float] = {}
    for bar in ax.patches:
        ends[bar.get_y()] = max(ends.get(bar.get_y(), 0), bar.get_x() + bar.get_width())
    assert list(ends.values()) == pytest.approx([1, 1])
    assert "46 %" in [text.get_text() for text in ax.texts]


def test_differences_and_the_matrix_are_drawn_where_the_tables_say() -> None:
    table = hand.averaging()
    with style.styled():
        matrix, differences = averaging.draw(table, hand.averaging_matrix()).axes
    cells = {text.get_position(): text.get_text() for text in matrix.texts}
    assert cells[1, 2] == "0.333"  # the second token at the third position
    assert cells[2, 1] == "0"
    single = table[table["precision"] == "float32"]
    drawn = next(line for line in differences.lines if line.get_label() == "float32")
    assert list(drawn.get_xdata()) == single["difference"].tolist()
    low, high = differences.get_xlim()
    assert low < table["difference_low"].min()
    assert high > table["difference_high"].max()


@pytest.mark.parametrize("name", ["averaging", "variance", "saturation", "gradient_norms"])
def test_published_is_in_the_key_where_it_is_drawn(name: str) -> None:
    drawing = importlib.import_module(f"rungs.report.figures.{name}")
    table = getattr(hand, name)()
    # A width or a model of which nothing is published, in a table that has the column.
    without = table.assign(
        **{column: math.nan for column in table.columns if column.endswith("_published")}
    )
    columns = [column for column in table.columns if not column.endswith("_published")]
    more = [hand.averaging_matrix()] if name == "averaging" else []
    keys = []
    with style.styled():
        for rows_drawn in (table, without, table[columns]):
            if name == "gradient_norms":
                rows_drawn = rows_drawn.assign(label=rows_drawn["variant"])
            keys.append("published" in _legend(drawing.draw(rows_drawn, *more)))
    assert keys == [True, False, False]


def test_saturation_falls_without_the_division() -> None:
    table = hand.saturation()
    with style.styled():
        tokens, _, frozen = saturation.draw(table).axes
    undivided = next(line for line in tokens.lines if line.get_label() == "undivided")
    assert list(undivided.get_ydata()) == [21.0, 1.4, 1.17]
    assert tokens.get_yscale() == "log"
    assert frozen.get_ylim()[1] > 1


def test_unknown_model_is_refused(tmp_path: Path) -> None:
    words = _inputs(tmp_path, "parameters")
    words[-1] = "gpt5"
    with pytest.raises(UserError, match="no model gpt5; it has one_block"):
        _run("parameters", words, tmp_path / "x.svg", tmp_path / "x.png")


@pytest.mark.parametrize("color", style.PALETTE)
def test_percentages_contrast_with_their_segment(color: str) -> None:
    def luminance(value: str) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(value)]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    shades = sorted((luminance(color), luminance(style.text_on(color))))
    assert (shades[1] + 0.05) / (shades[0] + 0.05) >= 4  # bold text of this size needs 3


def test_learning_curve_is_the_mean_of_its_seeds() -> None:
    points = [("seed0", 100, 4.0), ("seed0", 200, 3.0), ("seed1", 100, 4.4), ("seed1", 200, 3.2)]
    curves = pd.DataFrame(points, columns=["seed", "step", "validation_loss"])
    curves = curves.assign(variant="v", label="V")
    with style.styled():
        ax = learning_curves.draw(curves).axes[0]
    *seeds, mean = ax.lines
    assert len(seeds) == 2
    assert list(mean.get_ydata()) == pytest.approx([4.2, 3.1])
    assert mean.get_linewidth() > seeds[0].get_linewidth()
    words = learning_curves.describe(curves, "T")
    assert words.endswith("V: 4.20 at step 100, 3.10 at step 200.")


def test_answers_are_shares_of_all_sentences(tmp_path: Path) -> None:
    path = hand.write_table(tmp_path / "referents.csv", referent_results.answers())
    with style.styled():
        figure = answers.draw(read_shown(path, answers.COLUMNS))
        bare = answers.draw(referent_results.answers(seeds=1, published=False))
    ax = figure.axes[0]
    ends: dict[float, float] = {}
    for bar in ax.patches:
        ends[bar.get_y()] = max(ends.get(bar.get_y(), 0), bar.get_x() + bar.get_width())
    assert list(ends.values()) == pytest.approx([100] * 5)
    published = next(line for line in ax.lines if line.get_marker() == "D")
    assert list(published.get_xdata()) == [100.0, 91.7, 27.9, 92.7, 100.0]
    intervals = next(c for c in ax.collections if "interval" in str(c.get_label()))
    assert max(end for segment in intervals.get_segments() for end in segment[:, 0]) == 100
    assert "chance, 50 %" in _texts(figure)
    assert _legend(bare) == ["the referent", "the other noun", "anything else"]
    assert "published" not in _texts(bare)


def test_answering_rows_are_written_out() -> None:
    sentences = referent_results.evaluation()["attention"]
    with style.styled():
        figure = attention.draw([Sentence.model_validate(entry) for entry in sentences])
    tired, wet = figure.axes
    assert [text.get_text() for text in tired.texts] == ["0.70", "0.06", "0.05", "0.19", "1.00"]
    assert [label.get_text() for label in wet.get_xticklabels()] == sentences[1]["words"]
    expected = [block[-1] for block in sentences[1]["blocks"]]
    assert wet.collections[0].get_array().tolist() == expected
    assert wet.get_ylim()[0] > wet.get_ylim()[1]  # the first block on top


def test_maps_are_drawn_whole_a_row_a_block() -> None:
    sentences = referent_results.evaluation()["attention"]
    with style.styled():
        figure = maps.draw([Sentence.model_validate(entry) for entry in sentences])
    panels = [ax for ax in figure.axes if ax.get_title(loc="left")]
    titles = [ax.get_title(loc="left") for ax in panels]
    assert titles == ["block 1, tired", "block 1, wet", "block 2, tired", "block 2, wet"]
    for ax, (block, column) in zip(panels, itertools.product((0, 1), (0, 1)), strict=True):
        cells = ax.collections[0]
        assert cells.get_array().tolist() == sentences[column]["blocks"][block]
        assert cells.get_clim() == (0, 1)


@pytest.mark.parametrize("figure", ["attention", "maps"])
@pytest.mark.parametrize("content", [{}, {"attention": []}, {"attention": [{"words": ["a"]}]}])
def test_evaluation_without_maps_is_named(
    figure: str, content: dict[str, object], tmp_path: Path
) -> None:
    words = _inputs(tmp_path, figure)
    hand.write_json(tmp_path / "seed0.json", content)
    with pytest.raises(UserError, match=r"seed0\.json: attention.*delete it and run again"):
        _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"step": 1}\n', "has no training_loss"),
        ("not json\n", "is damaged"),
        ("[1]\n", "is damaged: a value is of another kind"),
    ],
)
def test_broken_history_is_named(text: str, problem: str, tmp_path: Path) -> None:
    words = _inputs(tmp_path, "learning_curves")
    Path(str(words[1])).write_text(text)
    with pytest.raises(UserError, match=rf"seed0/history\.jsonl: {problem}"):
        _run("learning_curves", words, tmp_path / "x.svg", tmp_path / "x.png")
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("figure", ["rows", "lengths", "cost", "parameters"])
def test_table_that_cannot_be_read_is_named(figure: str, tmp_path: Path) -> None:
    words = _inputs(tmp_path, figure)
    table = Path(str(words[1]))
    for damage, message in (
        ("a,b\n1,2\n", "has no column"),
        ("", "is not a table"),
        (table.read_text().splitlines()[0] + "\n", "has no rows"),
    ):
        table.write_text(damage)
        with pytest.raises(UserError, match=rf"{table.name}: {message}"):
            _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")
    table.unlink()
    with pytest.raises(UserError, match=rf"{table.name}: cannot be read"):
        _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")


@given(
    wanted=st.lists(st.floats(-10, 10), min_size=1, max_size=12),
    gap=st.floats(0, 3, exclude_min=True),
)
def test_labels_are_moved_apart_in_order_and_no_further(wanted: list[float], gap: float) -> None:
    placed = style.spread(wanted, gap)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    for first, second in itertools.pairwise(order):
        assert placed[second] - placed[first] >= gap - 1e-9
    assert sum(placed) == pytest.approx(sum(wanted), abs=1e-6)
    apart = [rank * (gap + 1) for rank in range(len(wanted))]
    assert style.spread(apart, gap) == pytest.approx(apart)


@given(low=st.floats(1e-3, 1e5), factor=st.floats(1.1, 1e5))
def test_ticks_are_round_and_inside(low: float, factor: float) -> None:
    ticks = log_ticks(low, low * factor)
    assert len(ticks) >= 4
    assert len(ticks) <= 13 or factor > 10, "they overlap"
    assert ticks == sorted(set(ticks))
    assert low <= ticks[0]
    assert ticks[-1] <= low * factor
    assert all(len(f"{tick:.12g}".replace(".", "").strip("0")) <= 3 for tick in ticks)


def test_drawing_never_waits_for_torch() -> None:
    modules = ", ".join(figure.module for figure in FIGURES)
    code = f"import sys, rungs.report.page, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("low", [-7.0, 0.0, 1e-9])
@pytest.mark.parametrize("figure", ["rows", "lengths"])
def test_an_interval_that_reaches_zero_runs_into_the_edge(
    figure: str, low: float, tmp_path: Path
) -> None:
    """Two seeds that differ have such intervals: twelve standard errors on either side."""
    name, table = ("ladder", hand.ladder()) if figure == "rows" else ("positions", hand.positions())
    table["perplexity_low"], table["perplexity_high"] = low, 1e6
    words = _inputs(tmp_path, figure)
    hand.write_table(tmp_path / f"{name}.csv", table)
    _run(figure, words, tmp_path / "x.svg", tmp_path / "x.png")
    drawn = (rows.draw(table, None) if figure == "rows" else lengths.draw(table, 64)).axes[0]
    smallest, largest = drawn.get_xlim() if figure == "rows" else drawn.get_ylim()
    assert table["perplexity"].min() / 3 < smallest
    assert largest < table["perplexity"].max() * 3


def test_sharpness_draws_both_panels_and_what_was_published(tmp_path: Path) -> None:
    for variant, spread in (("divided", 3.0), ("undivided", 5_000.0)):
        for seed in (0, 1):
            path = tmp_path / f"runs/c/short/{variant}/seed{seed}/history.jsonl"
            path.parent.mkdir(parents=True)
            entries = [
                {
                    "step": step, "training_loss": None, "validation_loss": 5.0,
                    "attention": [{
                        "score_std": 20 + spread * step, "entropy": math.log(8 - step),
                        "saturated_share": 0,
                    }],
                }
                for step in (0, 1 + seed)
            ]  # fmt: skip
            path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    table = pd.DataFrame(
        {
            "variant": ["divided", "undivided"],
            "label": ["divided", "not divided"],
            "diverged": ["", "seed 0 at step 2"],
            "score_std_at_start_published": [None, 21.0],
            "score_std_published": [3.44, 5_147.0],
        }
    )
    table.to_csv(tmp_path / "table.csv", index=False)
    histories = [str(path) for path in sorted(tmp_path.glob("runs/**/*.jsonl"))]
    svg = tmp_path / "figure.svg"
    words = ["--table", str(tmp_path / "table.csv"), "--title", "Scale?", "--svg", str(svg)]
    arguments = [*words, "--histories", *histories, "--png", str(tmp_path / "figure.png")]
    assert typed(sharpness, arguments).endswith("4 runs")
    said = style.description(svg.read_text())
    diverged = "not divided, diverged at step 2: 20.0 to 20.0 (published 5,147)"
    assert f"{diverged}, and from 8.00 to 8.00 tokens." in said
    assert "divided: 20.0 to 26.0" not in said, "no mean over the seed that is left"


def _noise_axes(table: pd.DataFrame) -> Axes:
    with style.styled():
        figure = seed_noise.draw(table)
        figure.draw_without_rendering()
    return figure.axes[0]


def test_seed_noise_draws_each_seed_and_the_luck_of_one() -> None:
    table = hand.seed_noise()
    ax = _noise_axes(table)
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert len(dots) == 3
    for seed, line in enumerate(dots):
        shares = np.asarray(line.get_xdata(), float)
        expected = (table[f"seed{seed}"] / table["published"]).to_numpy(float)
        inside = np.abs(expected) <= seed_noise.FURTHEST
        assert shares[inside] == pytest.approx(expected[inside])
        assert np.isnan(shares[~inside]).all()
    arrows = [line for line in ax.lines if line.get_marker() in ("<", ">")]
    assert len(arrows) == 2  # of the warmup's three seeds, two are too far to show
    for bar, row in zip(ax.patches, table.to_dict("records"), strict=True):
        assert bar.get_width() == pytest.approx(2 * row["single_seed_noise"] / row["published"])
        assert bar.get_x() == pytest.approx(-bar.get_width() / 2)


def test_seed_noise_of_one_seed_has_no_bar() -> None:
    ax = _noise_axes(hand.seed_noise(1).astype({"single_seed_noise": float, "seeds_needed": float}))
    assert not ax.patches
    assert len([line for line in ax.lines if line.get_marker() == "o"]) == 1


def test_seed_noise_of_nothing_says_so(tmp_path: Path) -> None:
    table = hand.write_table(tmp_path / "seed_noise.csv", hand.seed_noise(0))
    summary = _run("seed_noise", ["--table", table], tmp_path / "a.svg", tmp_path / "a.png")
    assert summary.endswith("0 differences")
    assert "No published difference compares" in style.description((tmp_path / "a.svg").read_text())
