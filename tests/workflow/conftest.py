"""The preview, run once for every test that reads its results."""

import pytest

from tests.workflow.workflow import ROOT, Workflow


@pytest.fixture(scope="session")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A finished preview. A test that changes it restores it."""
    workflow = Workflow(tmp_path_factory.mktemp("preview"), [ROOT / "config/preview.yaml"])
    workflow.run()
    return workflow
