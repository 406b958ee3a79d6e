"""Ten random kills; `make torture` does two hundred."""

from pathlib import Path

import pytest

from tests.workflow.torture import torture
from tests.workflow.tree import Tree

pytestmark = pytest.mark.workflow


def test_random_kills_change_nothing(finished_tree: Tree, tmp_path: Path) -> None:
    assert torture(finished_tree, tmp_path / "clone", kills=10, seed=0, seconds=40).total() >= 10
