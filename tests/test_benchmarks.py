"""The benchmarks run, and print a row for each thing they time; what they time is not judged."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("command", "first_columns"),
    [
        (
            ["training_step", "--rounds", "2", "--depths", "1"],
            ["1 | matrix product", "1 | textbook step", "1 | our step"],
        ),
        (["where_time_goes", "--rounds", "1", "--depths", "1"], ["1 | matrix products"]),
        (
            ["processes", "--rounds", "1"],
            ["import torch", "a table's imports", "a run's imports", "a run of one step"],
        ),
    ],
)
def test_a_benchmark_prints_its_rows(command: list[str], first_columns: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{command[0]}", *command[1:]],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    _, _, *rows = result.stdout.splitlines()
    for column in first_columns:
        assert sum(row.startswith(f"| {column} |") for row in rows) == 1, result.stdout
