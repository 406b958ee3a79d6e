"""Tables come back as they were written: words as words, numbers as numbers, or not at all."""

import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rungs.cli import main
from rungs.config import read_config
from rungs.errors import UserError
from rungs.report.experiment_views import EXPERIMENT_COLUMNS, experiment_views
from rungs.report.markdown import of_view
from rungs.report.style import description
from rungs.tables.configured import experiment_settings
from rungs.tables.reading import read_shown, read_table
from rungs.tables.samples import read_observations
from rungs.tables.writing import write_csv
from tests.report import results_folder as hand

ROOT = Path(__file__).parents[2]
LIKE_VALUES = ["1e-3", "0.10", "007", "true", "False", "NA", "nan", "None", "inf", "-", "1,5", '"']
WORDS = st.sampled_from(LIKE_VALUES) | st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OBSERVED = ["corpus", "budget", "variant", "seed", "context_length", "metric", "value"]


@given(rows=st.lists(st.tuples(WORDS, NUMBERS, st.none() | NUMBERS), min_size=1))
def test_what_is_read_is_what_was_written(
    rows: list[tuple[str, float, float | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "words.csv"
    written = pd.DataFrame(rows, columns=["label", "value", "improvement_published"])
    write_csv(written.astype({"improvement_published": float}), path)
    read = read_table(path, ["label", "value"])
    assert read["label"].tolist() == written["label"].tolist()
    assert read["value"].tolist() == written["value"].tolist()
    published = [None if math.isnan(value) else value for value in read["improvement_published"]]
    assert published == [row[2] for row in rows]


def test_labels_like_values_reach_table_figure_and_page_as_they_are(tmp_path: Path) -> None:
    """Variants called ``true`` and ``false``, and labels such as a sweep has."""
    shipped = experiment_settings(read_config(ROOT / "config.yaml"), "ladder")
    row = shipped.rows[0]
    labels = dict(
        zip(["true", "false", "nan", "none", "null", "inf"], LIKE_VALUES[:6], strict=True)
    )
    rows = [row.model_copy(update={"variant": v, "label": label}) for v, label in labels.items()]
    settings = shipped.model_copy(update={"rows": rows, "comparisons": {"false": "true"}})
    runs = [
        ("shakespeare", "window_128", variant, seed, 128, "perplexity", 40.0 + seed + place)
        for place, variant in enumerate(labels)
        for seed in range(3)
    ]
    observations, table = tmp_path / "observations.csv", tmp_path / "ladder.csv"
    write_csv(pd.DataFrame(runs, columns=OBSERVED), observations)
    words = ["table", "--kind", "scores", "--measured", observations, "--experiment", "ladder"]
    words += ["--settings", settings.canonical(), "--output", table]
    assert main([str(word) for word in words]) == 0

    read = read_table(table, EXPERIMENT_COLUMNS)
    assert read["variant"].tolist() == list(labels)
    assert read["label"].tolist() == list(labels.values())
    assert read["seeds"].tolist() == [3] * len(labels)
    perplexities, improvements = experiment_views(read, "ladder.csv")
    assert [cells[0] for cells in perplexities.rows] == list(labels.values())
    assert [cells[:2] for cells in improvements.rows] == [["0.10", "1e-3"]]
    assert all(f"| {label} |" in of_view(perplexities) for label in labels.values())

    summary = hand.write_json(tmp_path / "summary.json", hand.summary())
    words = ["figure-rows", "--table", table, "--corpus", summary, "--title", "A sweep"]
    words += ["--metric", "perplexity", "--observations", observations]
    words += ["--svg", tmp_path / "rows.svg", "--png", tmp_path / "rows.png"]
    assert main([str(word) for word in words]) == 0
    said = description((tmp_path / "rows.svg").read_text())
    assert all(f" {label}: 4" in said for label in labels.values())


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999", "Infinity", "1_0", "x", "0x10"])
@pytest.mark.parametrize("column", ["perplexity", "perplexity_published", "seeds"])
def test_what_is_no_finite_number_is_named(column: str, cell: str, tmp_path: Path) -> None:
    path = tmp_path / "ladder.csv"
    cells = {"perplexity": "1", "perplexity_published": "", "seeds": "3"}
    rows = [cells.values(), (cells | {column: cell}).values()]
    path.write_text("\n".join([",".join(cells), *map(",".join, rows)]) + "\n")
    with pytest.raises(UserError) as refused:
        read_table(path, list(cells))
    assert str(refused.value).startswith(f"{path}: {column} in row 2 is '{cell}', not a finite")


@pytest.mark.parametrize(
    ("column", "cell"),
    [("perplexity", "0.5"), ("perplexity_published", "-5"), ("weight", "1.5"), ("loss", "-1"),
     ("context_length", "-3"), ("context_length", "1e308"), ("accuracy", "101")],
)  # fmt: skip
def test_a_number_that_cannot_be_is_named(column: str, cell: str, tmp_path: Path) -> None:
    path = tmp_path / "ladder.csv"
    path.write_text(f"{column}\n1\n{cell}\n")
    with pytest.raises(UserError, match=rf"ladder\.csv: {column} in row 2 is .*, which cannot be"):
        read_shown(path, [column])


def test_an_interval_may_end_where_no_number_can_be(tmp_path: Path) -> None:
    path = tmp_path / "ladder.csv"
    path.write_text("perplexity,perplexity_low,improvement\n2,-7,-3\n")
    assert read_shown(path, ["perplexity_low"]).iloc[0].tolist() == [2, 1, -3]


def test_an_empty_cell_is_refused_where_a_number_has_to_be(tmp_path: Path) -> None:
    path = tmp_path / "observations.csv"
    header = ",".join(OBSERVED)
    path.write_text(f"{header}\nc,b,v,0,,parameters,12\nc,b,v,1,,parameters,\n")
    with pytest.raises(UserError, match=r"observations\.csv: value in row 2 is empty; delete"):
        read_observations(path)
    path.write_text(f"{header}\nc,b,v,,128,loss,1.5\n")
    with pytest.raises(UserError, match=r"observations\.csv: seed in row 1 is empty; delete"):
        read_observations(path)
    path.write_text(f"{header}\nc,b,v,0.5,128,loss,1.5\n")
    with pytest.raises(UserError, match=r"observations\.csv: "):
        read_observations(path)


def test_only_an_empty_field_is_missing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("label,loss\r\nnone,1\r\nNA,\r\n,3\r\n")
    table = read_table(tmp_path / "t.csv", ["label", "loss"])
    assert table["label"].tolist() == ["none", "NA", ""]
    assert table["loss"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    "text", ["", "a,a\n1,2\n", "a,b\n1\n", "a,b\n1,2,3\n", 'a\n"b\n', "a\n\xff"]
)
def test_what_is_no_table_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=r"t\.csv: is not a table; delete it and run again"):
        read_table(tmp_path / "t.csv", [])


def test_words_in_a_column_of_numbers_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="colour holds words; add it to"):
        write_csv(pd.DataFrame({"colour": ["red"]}), tmp_path / "t.csv")
    with pytest.raises(ValueError, match="loss holds an infinite number"):
        write_csv(pd.DataFrame({"loss": [1.0, math.inf]}), tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "reference").rglob("*.csv")),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_table_of_the_reference_is_read(path: Path) -> None:
    assert len(read_table(path, []))


def test_intervals_are_shown_within_what_is_possible(tmp_path: Path) -> None:
    path = tmp_path / "referents.csv"
    path.write_text("accuracy,accuracy_low,accuracy_high,improvement,improvement_low\n")
    with path.open("a") as file:
        file.write("85.8,48.0,123.7,-1,-3\n0,-4,4,1,\n")
    table, shown = read_table(path, []), read_shown(path, [])
    assert table["accuracy_high"].tolist() == [123.7, 4]  # what is written stays as it is
    assert shown["accuracy_low"].tolist() == [48, 0]
    assert shown["accuracy_high"].tolist() == [100, 4]
    assert shown["improvement_low"].tolist()[0] == -3  # a difference has no bounds
    columns = [name for name in table.columns if not name.startswith("accuracy_")]
    assert shown[columns].equals(table[columns])
