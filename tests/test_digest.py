"""Code digests: what changes them, what does not, and that they follow imports."""

import shutil
from pathlib import Path

import pytest

from rungs import digest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package that may be edited, with the digests reading it."""
    copy = tmp_path / "rungs"
    shutil.copytree(digest.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digest, "PACKAGE", copy)
    return copy


def code_digest(module: str) -> str:
    for cached in (
        digest.code_digest,
        digest._tree,
        digest._tree_digest,
        digest._project_imports,
    ):
        cached.cache_clear()
    return digest.code_digest(module)


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_copy_elsewhere_has_the_same_digest(package: Path) -> None:
    copied = code_digest("rungs.training.stage")
    package.parent.rename(package.parent.with_name("moved"))
    digest.PACKAGE = package.parent.with_name("moved") / "rungs"
    assert code_digest("rungs.training.stage") == copied


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("model/positions.py", "    first, second = x", "    # halves\n    first, second = x"),
        ("model/positions.py", '"""Four ways', '"""Ways'),
        ("model/attention.py", "self.heads = architecture.heads", "self.heads=architecture.heads"),
        ("model/architecture.py", '"""Number of blocks."""', '"""How many blocks."""'),
        ("config.py", "for name in self.experiments:", "for name in list(self.experiments):"),
        ("evaluation/stage.py", "45_976", "45_977"),
    ],
)
def test_edits_that_cannot_change_a_run(package: Path, file: str, old: str, new: str) -> None:
    before = code_digest("rungs.training.stage")
    edit(package / file, old, new)
    assert code_digest("rungs.training.stage") == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("model/positions.py", "10_000.0**", "20_000.0**"),
        ("model/block.py", "nn.GELU()", "nn.ReLU()"),
        ("training/batches.py", "[seed, step]", "[step, seed]"),
        ("training/budget.py", "weight_decay: NonNegative = 0.01", "weight_decay: NonNegative = 0"),
        ("settings.py", "Field(ge=1, ", "Field(ge=2, "),
        ("corpus/tokens.py", 'mmap_mode="r"', 'mmap_mode="c"'),
    ],
)
def test_edits_that_may_change_a_run(package: Path, file: str, old: str, new: str) -> None:
    before = code_digest("rungs.training.stage")
    edit(package / file, old, new)
    assert code_digest("rungs.training.stage") != before


def test_a_relative_import_is_refused(package: Path) -> None:
    edit(package / "model/block.py", "from rungs.model.attention", "from .attention")
    with pytest.raises(AssertionError, match="relative import"):
        code_digest("rungs.training.stage")


def test_a_name_that_is_no_module_is_refused() -> None:
    with pytest.raises(AssertionError, match="not a module"):
        code_digest("rungs.nothing")
