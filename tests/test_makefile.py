"""What `make` does before it starts work."""

import shutil
import subprocess
from pathlib import Path

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
