"""Fixtures shared by all tests."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

import rungs

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

REPOSITORY = Path(__file__).parent.parent

SLOWEST = (
    *("test_preview.py", "test_faults.py", "test_edits.py", "test_torture.py"),
    "test_divergence.py",
)
"""Files that take minutes each: they start first, and the others fill the time beside them."""


def pytest_configure() -> None:
    """Refuse to test the code of another checkout, whose environment is active."""
    package = Path(rungs.__file__).resolve().parent
    if package != REPOSITORY.resolve() / "src/rungs":
        raise pytest.UsageError(
            f"{REPOSITORY}: these tests would run with {package}. Type `make test` in {REPOSITORY}"
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest files first; `--dist loadfile --no-loadscope-reorder` keeps this order."""

    def rank(item: pytest.Item) -> int:
        return SLOWEST.index(item.path.name) if item.path.name in SLOWEST else len(SLOWEST)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real corpora, RUNGS_DATA or `shared/data` beside the repository."""
    folder = Path(os.environ.get("RUNGS_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "tinyshakespeare.txt").exists():
        pytest.skip(f"no tinyshakespeare.txt in {folder}; point RUNGS_DATA at its folder")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser that pages are opened in."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium on PATH; install Debian's package chromium")
    return path
