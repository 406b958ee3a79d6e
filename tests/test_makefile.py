"""What `make` does before it starts work."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_uncommitted_changes_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    result = subprocess.run(
        ["make", "publish-reference", "PYTHON=false"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode
    assert "The checkout has uncommitted changes" in result.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name != ".git"] == ["Makefile"]


FAKE = """\
#!/bin/sh
# Python 3.{minor}, which makes environments of itself and installs nothing.
case "$*" in
  "-m venv --clear .venv")
    rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo {minor} >> made;;
  "-m pip "*) ;;
  "-c "*) exec {real} -c "import sys; sys.version_info = (3, {minor}, 0); $2";;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what `make setup` reads, in which `python3` is of an old version."""
    folder = tmp_path / "a clone's"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (tmp_path / "bin").mkdir()
    for minor in (10, 11, 12):
        path = tmp_path / "bin" / ("python3" if minor == 10 else f"python3.{minor}")
        path.write_text(FAKE.format(minor=minor, real=sys.executable))
        path.chmod(0o755)
    return folder


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder.parent / 'bin'}:{os.environ['PATH']}"
    # As typed, though `make test` runs this one.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", *words], cwd=folder, env={**environment, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def made(folder: Path) -> list[str]:
    """Return the versions, in order, of which an environment was made there."""
    return (folder / "made").read_text().split()


def test_an_old_python_is_refused_before_anything_is_made(clone: Path) -> None:
    answer = make(clone, "preview")
    assert answer.returncode
    sentence, *rest = answer.stdout.splitlines()
    assert sentence.startswith("python3: is not Python 3.11 or newer")
    assert "'make preview PYTHON=python3.11'" in sentence
    assert not rest
    assert not (clone / ".venv").exists()


def test_an_environment_is_made_once_and_keeps_its_python(clone: Path) -> None:
    for words in (["setup", "PYTHON=python3.11"], ["setup", "PYTHON=python3.11"], ["setup"]):
        answer = make(clone, *words)
        assert answer.returncode == 0, answer.stderr
    assert made(clone) == ["11"]


def test_an_environment_of_another_python_or_place_is_made_anew(clone: Path) -> None:
    make(clone, "setup", "PYTHON=python3.11")
    make(clone, "setup", "PYTHON=python3.12")
    assert made(clone) == ["11", "12"]
    moved = clone.rename(clone.with_name("moved"))
    make(moved, "setup", "PYTHON=python3.12")
    assert made(moved) == ["11", "12", "12"]
    (moved / ".venv/bin/python").unlink()  # as after an upgrade of the system's
    make(moved, "setup", "PYTHON=python3.11")
    assert made(moved) == ["11", "12", "12", "11"]


def test_a_bundle_without_results_is_refused_before_anything_is_made(clone: Path) -> None:
    answer = make(clone, "bundle", "PYTHON=python3.11")
    assert answer.returncode
    assert "There is no results/report.html yet" in answer.stdout
    assert not (clone / "made").exists()
