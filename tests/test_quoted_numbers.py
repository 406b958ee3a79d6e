"""A number that a page quotes from the reference run is the one in the reference run's table.

A quote is a link, `[38.10](reference/ladder.csv "variant=one_block: perplexity")`: its title names
the row and the column. A count of rows has the column `rows`.
"""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUOTE = re.compile(r'\[([-\d.,]+)(?: [^\]]*)?\]\((\S+\.csv) "([^"]+): (\w+)"\)')


def quotes(page: str) -> list[tuple[str, Path, dict[str, str], str]]:
    """Return number, table, row and column of every quote."""
    text = " ".join((ROOT / page).read_text("utf-8").split())
    return [
        (
            number,
            (ROOT / page).parent / table,
            dict(word.split("=") for word in row.split(", ")),
            column,
        )
        for number, table, row, column in QUOTE.findall(text)
    ]


@pytest.mark.parametrize("page", ["README.md", "docs/findings.md"])
def test_quoted_numbers_are_those_of_the_table(page: str) -> None:
    found = quotes(page)
    assert found, "nothing is quoted"
    for number, table, row, column in found:
        with table.open(newline="") as file:
            rows = [r for r in csv.DictReader(file) if row.items() <= r.items()]
        if column == "rows":
            assert int(number) == len(rows), row
            continue
        assert len(rows) == 1, f"{table.name} has {len(rows)} rows with {row}"
        quoted = Decimal(number.replace(",", ""))
        exact = Decimal(rows[0][column])
        assert quoted == round(exact, -int(quoted.as_tuple().exponent)), (number, row, column)
