"""Rules of one checkout never run with the code of another."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflow.dry_runs import scheduled
from tests.workflow.tree import Tree, plant
from tests.workflow.workflow import ROOT, SNAKEMAKE

pytestmark = pytest.mark.workflow

TEXT = "results/corpus/stories/text.txt"


@pytest.fixture
def clone(tmp_path: Path) -> Tree:
    (tmp_path / "clone").mkdir()
    return plant(tmp_path / "clone")


@pytest.mark.parametrize("installed", ["another checkout", "a copy"])
def test_code_of_another_place_is_refused_before_any_job(
    clone: Tree, tmp_path: Path, installed: str
) -> None:
    package = tmp_path / "site-packages/rungs"
    if installed == "another checkout":
        package.parent.mkdir()
        package.symlink_to(ROOT / "src/rungs")
    else:
        shutil.copytree(ROOT / "src/rungs", package)
    answer = subprocess.run(
        [str(SNAKEMAKE), "--cores", "1", TEXT],
        cwd=clone.folder, env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 1
    (sentence,) = (line for line in answer.stderr.splitlines() if "would run with" in line)
    named = f"{clone.folder}: the rules here would run with {package.resolve()} instead"
    assert sentence.startswith(named)
    assert "`make setup`" in sentence
    assert not clone.results.exists()


def test_a_checkout_behind_a_link_is_the_same(clone: Tree, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(clone.folder)
    assert scheduled(tmp_path / "link", TEXT) == {"Generating the corpus stories"}
