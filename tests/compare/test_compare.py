"""Two folders: equal, noisy, and with a verdict that changed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rungs.cli import main
from rungs.compare.counted import compare_counted
from rungs.compare.runs import compare_runs
from rungs.compare.tables import compare_tables
from rungs.compare.verdicts import compare_verdicts
from rungs.tables.columns import KEYS
from rungs.tables.reading import read_table
from tests.bundle.test_bundle import bundle, results_folder
from tests.report import results_folder as hand

REFERENCE = Path(__file__).parents[2] / "reference"
RUNS = {"one_block": (38.0, 38.6, 38.3), "two_blocks": (40.0, 41.1, 40.5)}


def observations(runs: dict[str, tuple[float, ...]] = RUNS) -> pd.DataFrame:
    rows = []
    for variant, values in runs.items():
        for seed, value in enumerate(values):
            start = ("shakespeare", "window_128", variant, seed)
            rows.append((*start, None, "parameters", 477_696.0))
            rows.append((*start, 128, "perplexity", value))
            rows.append((*start, 128, "loss", 3.0))
    columns = ["corpus", "budget", "variant", "seed", "context_length", "metric", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"context_length": "Int64"})


@pytest.fixture
def a(tmp_path: Path) -> Path:
    folder = tmp_path / "a"
    results_folder(folder)
    hand.write_table(folder / "observations.csv", observations())
    return folder


@pytest.fixture
def b(tmp_path: Path, a: Path) -> Path:
    shutil.copytree(a, tmp_path / "b")
    return tmp_path / "b"


def change(path: Path, row: int, column: str, value: object) -> None:
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[row, column] = str(value)
    table.to_csv(path, index=False)


def test_a_divergence_is_compared_as_words(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(b / "ladder.csv", 0, "diverged", "seed 0 at step 212")
    ended = observations()
    gone = (ended["variant"] == "one_block") & (ended["metric"] == "perplexity")
    ended.loc[gone & (ended["seed"] == 0), ["metric", "value"]] = ["diverged_at_step", 212]
    hand.write_table(b / "observations.csv", ended)
    assert not [row for row in compare_runs(a, b) if row.variant == "one_block" and row.differs]
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"ladder\.csv .*diverged of .* empty +seed 0 at step 212", said)


def test_equal_folders(a: Path, b: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert (
        "0 of 5 verdicts and 0 of 1 check changed; 0 of 2 trained numbers differ by more "
        "than 1%; 0 of" in said
    )
    *_, equal, summary = said.splitlines()
    assert re.fullmatch(
        r"Equal to the last digit: 2 of 2 trained numbers, (\d+) of \1 other tables, "
        r"(\d+) of \2 counted numbers",
        equal,
    )
    assert summary.startswith("0 of 5 verdicts and 0 of 1 check changed")
    assert "Trained" not in said
    assert "Claims" not in said
    assert "\x1b" not in said


def test_one_experiment_is_compared_before_all_are_there(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = dict(RUNS, one_block=tuple(1.02 * value for value in RUNS["one_block"]))
    hand.write_table(b / "observations.csv", observations(moved))
    main(["compare", str(a), str(b)])
    whole = capsys.readouterr().out
    for folder in (a, b):
        (folder / "observations").mkdir()
        (folder / "observations.csv").rename(folder / "observations/ladder.csv")
    main(["compare", str(a), str(b)])
    assert capsys.readouterr().out == whole
    assert "one_block" in whole


def test_a_changed_verdict_is_status_one_with_both_reasons(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(b / "claims.csv", 0, "verdict", "not reproduced")
    change(b / "claims.csv", 0, "reason", "far\x1b[31m away")
    assert main(["compare", str(a), str(b)]) == 1
    captured = capsys.readouterr()
    assert "without context, an embedding read by a linear layer reaches 59.71" in captured.out
    assert "reproduced: the published value lies in the interval" in captured.out
    assert "not reproduced: far?[31m away" in captured.out
    assert "1 of 5 verdicts and 0 of 1 check changed" in captured.out
    assert not captured.err


def test_a_verdict_on_a_time_is_each_machines_own(a: Path, b: Path) -> None:
    for folder, verdict in ((a, "reproduced"), (b, "not reproduced")):
        path = folder / "claims.csv"
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        timed = table.iloc[[0]].assign(id="cost-time-exponent", verdict=verdict)
        pd.concat([table, timed]).to_csv(path, index=False)
    assert main(["compare", str(a), str(b)]) == 0


def test_differences_are_paired_by_seed(a: Path, b: Path) -> None:
    # The seeds spread by 0.3; shifted together, they differ by exactly 0.1 with no interval.
    shifted = {name: tuple(v + 0.1 for v in values) for name, values in RUNS.items()}
    hand.write_table(b / "observations.csv", observations(shifted))
    found = {(row.variant, row.metric): row for row in compare_runs(a, b)}
    row = found["one_block", "perplexity"]
    assert row.difference.mean == pytest.approx(0.1)
    assert row.difference.low == pytest.approx(row.difference.high)
    assert row.relative == pytest.approx(0.1 / 38.3)
    assert not row.beyond
    assert ("one_block", "loss") not in found  # the logarithm of what is shown


def test_only_common_seeds_are_compared(a: Path, b: Path) -> None:
    table = observations({"one_block": (0.0, 38.7), "average": (248.0,)})
    hand.write_table(b / "observations.csv", table[table["seed"] + (table["variant"] != "one_block")
                                                   > 0])  # fmt: skip
    found = {row.variant: row for row in compare_runs(a, b) if row.metric == "perplexity"}
    assert found["one_block"].difference.seeds == 1
    assert found["one_block"].difference.mean == pytest.approx(38.7 - 38.6)
    assert found["one_block"].relative == pytest.approx(0.1 / 38.6)
    assert not found["average"].common
    assert not found["average"].beyond
    assert not found["two_blocks"].common


@pytest.mark.parametrize(("factor", "beyond"), [(1.009, 0), (1.011, 1), (0.989, 1), (0.991, 0)])
def test_perplexities_may_differ_by_a_percent(
    a: Path, b: Path, factor: float, beyond: int, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = dict(RUNS, one_block=tuple(factor * value for value in RUNS["one_block"]))
    hand.write_table(b / "observations.csv", observations(moved))
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert f"{beyond} of 2 trained numbers differ by more than 1%" in said
    assert said.count("beyond 1%") == beyond


def test_counted_numbers_are_equal_to_the_last(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare_counted(a, b).unequal == []
    change(b / "parameters.csv", 0, "parameters", 131_073)
    change(b / "memory.csv", 7, "status", "ok")
    summary = hand.summary() | {"tokens": 459_792}
    hand.write_json(b / "corpus/shakespeare/summary.json", summary)
    found = compare_counted(a, b)
    assert {(u.where, u.a, u.b) for u in found.unequal} == {
        ("parameters of one block, token embedding", "131072", "131073"),
        ("status of naive, 16384", "out_of_memory", "ok"),
        ("tokens of corpus shakespeare", "459760", "459792"),
    }
    assert found.common > 50
    table = observations()
    table.loc[0, "value"] += 1
    hand.write_table(b / "observations.csv", table)
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert "4 of" in said.splitlines()[-1]
    assert re.search(r"window_128 +one_block +parameters +477,696", said)


def test_every_table_is_compared_cell_by_cell(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(b / "variance.csv", 1, "variance", 1700)
    change(b / "variance.csv", 2, "variance_low", 28.9)
    change(b / "ladder.csv", 0, "label", "nothing")
    saturation = pd.read_csv(b / "saturation.csv", dtype=str, keep_default_na=False)
    saturation[1:].sample(frac=1, random_state=0).to_csv(b / "saturation.csv", index=False)
    (b / "masking.csv").unlink()
    found = compare_tables(a, b)
    assert (found.only_a, found.only_b) == (["masking.csv"], [])
    labels, rows, numbers = found.differing
    assert labels.table == "ladder.csv"
    assert labels.furthest == ("label of no context, context length 128", "no context", "nothing")
    assert (rows.table, rows.cells, rows.only_a, rows.only_b) == ("saturation.csv", 0, 1, 0)
    assert (numbers.table, numbers.cells) == ("variance.csv", 2)
    assert numbers.furthest[0].startswith("variance of width ")
    assert numbers.furthest[2] == "1700"
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    in_common = len(found.equal) + 3
    assert f"{in_common - 3} of {in_common} other tables" in said.splitlines()[-2]


def test_what_differs_most_is_said_last(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = {"one_block": (38.0, 38.6, 39.9), "two_blocks": (40.0, 41.1, 40.6), "x": (1.0,)}
    hand.write_table(b / "observations.csv", observations(moved))
    claims = hand.claims()
    hand.write_table(b / "claims.csv", claims[claims["id"] != "variance-4"])
    change(b / "claims.csv", 0, "verdict", "not reproduced")
    assert main(["compare", str(a), str(b)]) == 1
    said = capsys.readouterr().out
    headings = [
        *("Trained without a seed", "Claims that only one", "Trained numbers that differ"),
        *("two_blocks", "one_block", "Claims whose verdict", "Equal to", "1 of 4"),
    ]
    places = [said.rindex(heading) for heading in headings]
    assert places == sorted(places)


@pytest.mark.parametrize("path", sorted(REFERENCE.rglob("*.csv")), ids=lambda path: path.name)
def test_keys_name_every_row_of_a_table_once(path: Path) -> None:
    table = read_table(path, [])
    assert not table.duplicated([name for name in table if name in KEYS]).any()


def test_claims_that_one_folder_lacks_change_no_verdict(a: Path, b: Path) -> None:
    claims = hand.claims()
    hand.write_table(b / "claims.csv", claims[claims["id"] != "variance-4"].iloc[::-1])
    found = compare_verdicts(a, b)
    assert found.changed == []
    assert found.only_a == ["variance-4"]
    assert found.only_b == []
    assert (found.claims, found.checks) == (4, 1)


def test_a_claim_that_one_folder_has_not_run_is_no_disagreement(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(b / "claims.csv", 0, "verdict", "not run")
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert "0 of 4 verdicts and 0 of 1 check changed" in said
    assert re.search(r"Claims that only one has judged\n.*\nA +ladder-no-context\n", said)


def test_what_only_one_folder_has_does_not_differ(
    a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (b / "memory.csv").unlink()
    table = observations()
    hand.write_table(b / "observations.csv", table[table["variant"] != "one_block"])
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    points = 3 * len(hand.memory())
    assert re.search(rf"Counted numbers that only one has\n.*\nmemory +{points} +0\n", said)
    assert re.search(r"Trained without a seed in common\n.*\n.*one_block +3 seeds +not run\n", said)
    assert "Counted numbers that differ" not in said
    assert re.search(r"; 0 of \d+ counted numbers differ$", said)


def test_bundles_compare_as_their_folders(
    tmp_path: Path, a: Path, b: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [path for path in a.rglob("*") if path.suffix in (".csv", ".json", ".md", ".html")]
    bundle(a, files, tmp_path / "a.zip")
    change(b / "claims.csv", 0, "verdict", "direction only")
    assert main(["compare", str(tmp_path / "a.zip"), str(b)]) == 1
    assert main(["compare", str(tmp_path / "a.zip"), str(a)]) == 0
    capsys.readouterr()
    damaged = bytearray((tmp_path / "a.zip").read_bytes())
    damaged[200] ^= 0xFF
    (tmp_path / "a.zip").write_bytes(damaged)
    assert main(["compare", str(tmp_path / "a.zip"), str(a)]) == 2
    assert "is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda folder: shutil.rmtree(folder), "b: does not exist"),
        (lambda folder: (folder / "claims.csv").unlink(), "b: has no claims.csv; give two folders"),
        (lambda folder: change(folder / "claims.csv", 0, "verdict", "reproducd"),
         "claims.csv: is damaged, ladder-no-context has the verdict reproducd"),
        (lambda folder: (folder / "corpus/shakespeare/summary.json").write_text("[]"),
         "summary.json: is damaged, no JSON object"),
        (lambda folder: (folder / "provenance.json").write_text("[]"),
         "provenance.json: is damaged, no JSON object"),
        (lambda folder: (folder / "observations.csv").write_text("x\n1\n"), "has no column corpus"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(
    a: Path, b: Path, broken: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(broken)
    broken(b)
    assert main(["compare", str(a), str(b)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("runs", [RUNS, {"one_block": (38.0,)}], ids=["seeds", "one seed"])
@pytest.mark.parametrize("cell", ["", "nan", "inf", "1e999"])
def test_a_number_that_is_none_is_an_error_and_no_finding(
    a: Path, b: Path, runs: dict[str, tuple[float, ...]], cell: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    hand.write_table(b / "observations.csv", observations(runs))
    change(b / "observations.csv", 1, "value", cell)
    assert main(["compare", str(a), str(b)]) == 2
    captured = capsys.readouterr()
    what = "is empty" if not cell else f"is '{cell}', not a finite number"
    assert captured.err == (
        f"error: {b / 'observations.csv'}: value in row 2 {what}; delete it and run again\n"
    )


def test_compare_needs_no_torch_and_no_matplotlib(a: Path, b: Path) -> None:
    code = (
        "import sys; from rungs.cli import main; main(sys.argv[1:]);"
        "sys.exit(bool({'torch', 'matplotlib'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", code, "compare", str(a), str(b)]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 0
