"""Verdicts of a results folder: one flipped sign, and rows in another order."""

from pathlib import Path

import pandas as pd
import pytest

from rungs.published.quantity import Cell
from rungs.published.schema import Claim
from tests.claims.published_world import CLAIMS
from tests.claims.test_claims import SHIPPED, run, write_results

TABLES = ("memory", "exponents", "parameters")


def flip(folder: Path, cell: Cell) -> None:
    """Turn the sign of one value of a table; of a measured one, in all of its seeds."""
    if cell.table in TABLES:
        path, column = folder / f"{cell.table}.csv", cell.column
        wanted = dict(cell.row)
    else:
        path, column = folder / "observations" / f"{cell.table}.csv", "value"
        wanted = {**cell.row, "metric": cell.column}
    table = pd.read_csv(path)
    found = pd.Series(True, index=table.index)
    for name, value in wanted.items():
        found &= table[name] == value
    assert found.any()
    table.loc[found, column] *= -1
    table.to_csv(path, index=False)


def flippable(claim: Claim) -> bool:
    return all(cell.table in (*TABLES, *SHIPPED.experiments) for cell in claim.cells)


@pytest.mark.parametrize(
    "name",
    [
        "cost-peak-512",  # check
        "ladder-one-block",  # value, over seeds
        "ladder-layer-norm",  # difference
        "positions-rotary-degrades",  # order
        "cost-time-exponent",  # shape
    ],
)
def test_a_flipped_sign_flips_the_claims_that_rest_on_it_and_no_other(
    tmp_path: Path, name: str
) -> None:
    claim = next(claim for claim in CLAIMS if claim.id == name)
    assert flippable(claim)
    cell = claim.cells[0]
    write_results(tmp_path)
    before = run(tmp_path)[1].set_index("id")["verdict"]
    assert set(before) == {"reproduced"}
    flip(tmp_path, cell)
    after = run(tmp_path)[1].set_index("id")["verdict"]
    changed = set(after.index[after != before])
    # A margin may also be strengthened by what was made worse.
    orders = {claim.id for claim in CLAIMS if claim.published is None} - {name}
    assert changed - orders == {c.id for c in CLAIMS if cell in c.cells} - orders
    assert after[name] == "not reproduced"


def test_the_five_cover_every_kind() -> None:
    parameters = test_a_flipped_sign_flips_the_claims_that_rest_on_it_and_no_other.pytestmark[0]
    kinds = {claim.id: claim.kind for claim in CLAIMS}
    assert {kinds[name] for name in parameters.args[1]} == {
        "check", "value", "difference", "order", "shape",
    }  # fmt: skip


def test_rows_in_another_order_give_the_same_verdicts_to_the_byte(tmp_path: Path) -> None:
    write_results(tmp_path)
    run(tmp_path)
    claims = (tmp_path / "claims.csv").read_bytes()
    for path in [*tmp_path.glob("observations/*.csv"), *(tmp_path / f"{t}.csv" for t in TABLES)]:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        for seed in (1, 2):
            table.sample(frac=1, random_state=seed).to_csv(path, index=False)
            run(tmp_path)
            assert (tmp_path / "claims.csv").read_bytes() == claims
