"""Runs that stopped at a checkpoint are told from those that failed."""

import os
from pathlib import Path

from rungs.watching.stopped import left_checkpoints, stopped_runs


def test_runs_that_stopped_since_then_are_counted(tmp_path: Path) -> None:
    ends = {
        "stopped": "10:00:00 stopped at step 849 of 3000; run again to continue\n",
        "failed": "10:00:00 the loss is not finite\n",
        "before": "09:00:00 stopped at step 1 of 3000; run again to continue\n",
        "download": "10:00:00 a.txt could not be downloaded (404); run again to continue, or not\n",
        "empty": "",
    }
    for name, text in ends.items():
        (tmp_path / f"{name}.log").write_text(text)
        os.utime(tmp_path / f"{name}.log", (100, 90 if name == "before" else 110))
    assert stopped_runs(tmp_path.glob("*.log"), since=100) == 1


def test_what_is_kept_of_unfinished_runs_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    assert left_checkpoints(folder, "here") is None
    folder.mkdir()
    (folder / ".a.safetensors.abcd1234.safetensors").write_bytes(b"half written")
    assert left_checkpoints(folder, "here") is None
    for name in "ab":
        (folder / f"{name}.safetensors").write_bytes(bytes(2**20))
    said = left_checkpoints(folder, "here")
    assert said
    assert said.startswith("2 unfinished runs, ")
    assert "from here (2.0 MiB): delete that folder" in said
