"""What would decide, on the page: the fewest seeds, and what runs like those so far would cost."""

from pathlib import Path

import pandas as pd

from rungs.config import read_config
from rungs.files import write_json
from rungs.report.settle_view import settle_section

ROOT = Path(__file__).parents[2]
CONFIG = read_config(ROOT / "config.yaml", values=["readings=[]"])


def write_claims(folder: Path, *rows: tuple[str, str, float | str]) -> None:
    table = pd.DataFrame(rows, columns=["id", "table", "seeds_to_decide"])
    table.to_csv(folder / "claims.csv", index=False)


def test_work_is_that_of_the_runs_so_far(tmp_path: Path) -> None:
    write_claims(
        tmp_path,
        ("one", "normalization", 5),
        ("two", "ladder", 4),
        ("three", "ladder", "inf"),
        ("four", "positions", ""),
    )
    for budget, variant, seconds in (
        ("deep", "pre_norm", 60.0),
        ("deep_warmup", "pre_norm_warmup", 60.0),
        ("deep", "post_norm", 30.0),
        ("deep_warmup", "post_norm_warmup", 90.0),
    ):
        for seed, factor in ((0, 0.5), (1, 1.5)):
            run = tmp_path / f"runs/shakespeare/{budget}/{variant}/seed{seed}"
            run.mkdir(parents=True)
            write_json(run / "run.json", {"core_seconds": factor * seconds})
    section = settle_section(CONFIG, tmp_path)
    assert section is not None
    assert "1 claim is decided by no number of seeds" in section.lead[-1]
    (table,) = section.tables
    found = {row[0]: row[1:] for row in table.rows}
    # Two more seeds of four variants, each at the mean of its two; no run of the ladder is there.
    assert found["normalization"] == ["5", "8 min 00 s", "one"]
    assert found["ladder"] == ["4", "\N{EM DASH}", "two"]


def test_nothing_is_said_where_nothing_is_undecided(tmp_path: Path) -> None:
    assert settle_section(CONFIG, tmp_path) is None
    write_claims(tmp_path, ("one", "ladder", ""))
    assert settle_section(CONFIG, tmp_path) is None
    write_claims(tmp_path, ("one", "ladder", "inf"))
    section = settle_section(CONFIG, tmp_path)
    assert section is not None
    assert section.tables == [], "no empty table"
