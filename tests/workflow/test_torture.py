"""Ten random kills; `make torture` does a thousand."""

from pathlib import Path

import pytest

from tests.workflow.torture import torture
from tests.workflow.tree import plant

pytestmark = pytest.mark.workflow


def test_random_kills_change_nothing(tmp_path: Path) -> None:
    assert torture(plant(tmp_path), kills=10, seed=0).total() == 10
