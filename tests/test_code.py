"""Code digests: what changes them, what does not, and that they follow imports."""

import shutil
from pathlib import Path

import pytest

from rungs import code
from rungs.code import Definition


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package that may be edited, with the digests reading it."""
    copy = tmp_path / "rungs"
    shutil.copytree(code.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "PACKAGE", copy)
    return copy


def code_digest(module: str, *without: Definition) -> str:
    for cached in (code.code_digest, code.reachable, code._parse, code._digest):
        cached.cache_clear()
    return code.code_digest(module, frozenset(without))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_copy_elsewhere_has_the_same_digest(package: Path) -> None:
    copied = code_digest("rungs.training.train")
    package.parent.rename(package.parent.with_name("moved"))
    code.PACKAGE = package.parent.with_name("moved") / "rungs"
    assert code_digest("rungs.training.train") == copied


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "model/positions.py",
            "        first, second = x",
            "        # halves\n        first, second = x",
        ),
        ("model/positions.py", '"""How a model', '"""How it'),
        ("model/attention.py", "self.heads = architecture.heads", "self.heads=architecture.heads"),
        ("model/architecture.py", '"""Number of blocks."""', '"""How many blocks."""'),
        ("configuration/schema.py", "return self.seeds if", "return [*self.seeds] if"),
        ("evaluation/evaluate.py", "45_976", "45_977"),
        ("files.py", "import os", "import os\nimport turtle"),
        (
            "files.py",
            "def write_text(",
            "def read_nothing(path):\n    return None\n\n\ndef write_text(",
        ),
        ("training/checkpoint.py", "cut short; train", "damaged; train"),
    ],
)
def test_edits_that_cannot_change_a_run(package: Path, file: str, old: str, new: str) -> None:
    before = code_digest("rungs.training.train")
    edit(package / file, old, new)
    assert code_digest("rungs.training.train") == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("model/positions.py", "10_000.0**", "20_000.0**"),
        ("model/block.py", "nn.GELU()", "nn.ReLU()"),
        ("training/batches.py", "[seed, step]", "[step, seed]"),
        ("training/budget.py", "weight_decay: NonNegative = 0.01", "weight_decay: NonNegative = 0"),
        ("settings.py", "Field(ge=1, ", "Field(ge=2, "),
        ("corpus/tokens.py", 'mmap_mode="r"', 'mmap_mode="c"'),
        ("model/attention.py", "nn.functional as F", "_refs.nn.functional as F"),
        ("training/optimizer.py", "optim.adamw import adamw", "optim.adam import adam as adamw"),
        ("model/attention.py", "import torch\n", "import torch\nimport torch._dynamo\n"),
        ("__init__.py", '"""', 'import os\nos.environ["X"] = "1"\n"""'),
        ("model/__init__.py", '"""', 'print()\n"""'),
    ],
)
def test_edits_that_may_change_a_run(package: Path, file: str, old: str, new: str) -> None:
    before = code_digest("rungs.training.train")
    edit(package / file, old, new)
    assert code_digest("rungs.training.train") != before


def test_a_relative_import_is_refused(package: Path) -> None:
    edit(package / "model/block.py", "from rungs.model.attention", "from .attention")
    with pytest.raises(AssertionError, match="relative import"):
        code_digest("rungs.training.train")


def test_a_name_that_is_no_module_is_refused() -> None:
    with pytest.raises(AssertionError, match="not a module"):
        code_digest("rungs.nothing")


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("from rungs.model.attention import *", "star import"),
        ("import importlib\nimportlib.import_module('rungs.cli')", "dynamic import"),
        ("__import__('rungs.cli')", "dynamic import"),
        ("from importlib import import_module", "dynamic import"),
    ],
)
def test_an_import_that_reading_cannot_follow_is_refused(
    package: Path, statement: str, problem: str
) -> None:
    edit(
        package / "model/block.py",
        "from rungs.model.attention",
        f"{statement}\nfrom rungs.model.attention",
    )
    with pytest.raises(AssertionError, match=problem):
        code_digest("rungs.training.train")


def test_a_definition_left_out_takes_what_only_it_mentions_along(package: Path) -> None:
    attention = Definition("rungs.model.attention", "Attention")
    before = code_digest("rungs.training.train", attention)
    edit(package / "model/attention.py", "start + 1)", "start + 2)")
    assert code_digest("rungs.training.train", attention) == before
    edit(package / "model/attention.py", ".tril()", ".triu()")
    assert code_digest("rungs.training.train", attention) != before


def test_names_are_followed_through_aliases_attributes_and_reexports(
    package: Path,
) -> None:
    files = {
        "a.py": "import rungs.b as other\nfrom rungs import c\n\nf = other.g, c.k\n",
        "b.py": "from rungs.d import h as g\n\nUNUSED = 1\n",
        "c.py": "def k():\n    from rungs.e import late\n    return late\n\nNO = 2\n",
        "d.py": "def h() -> 'Forward':\n    return 1\n\nclass Forward:\n    pass\n",
        "e.py": "late = 1\nif late:\n    early = 2\n",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    code_digest("rungs.a")
    found = {str(part) for part in code.reachable("rungs.a")}
    assert {"rungs.d:h", "rungs.d:Forward", "rungs.c:k", "rungs.e:late", "rungs.e"} <= found
    assert not {"rungs.b:UNUSED", "rungs.c:NO"} & found
