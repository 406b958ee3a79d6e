"""The preview, and a finished tiny tree, each run once for every test that reads its results."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from tests.workflow.tree import Tree, plant
from tests.workflow.workflow import ROOT, Workflow


@pytest.fixture(scope="session")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A finished preview. A test that changes it restores it."""
    workflow = Workflow(tmp_path_factory.mktemp("preview"), [ROOT / "config/preview.yaml"])
    workflow.run()
    return workflow


@pytest.fixture(scope="session")
def finished_tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A finished tiny tree, made once for all test processes. Copy it before changing it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (shared / "tree.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "tree.finished").exists():
            shutil.rmtree(shared / "tree", ignore_errors=True)
            (shared / "tree").mkdir()
            plant(shared / "tree").run()
            (shared / "tree.finished").touch()
    return Tree(shared / "tree")


@pytest.fixture
def tree(finished_tree: Tree, tmp_path: Path) -> Tree:
    """A finished tiny tree of one's own."""
    return finished_tree.copy(tmp_path / "clone")
