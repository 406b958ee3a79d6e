"""Runs that stopped at a checkpoint are told from those that failed."""

import os
from pathlib import Path

from rungs.watching.stopped import stopped_runs


def test_runs_that_stopped_since_then_are_counted(tmp_path: Path) -> None:
    ends = {
        "stopped": "10:00:00 stopped at step 849 of 3000; run again to continue\n",
        "failed": "10:00:00 the loss is not finite\n",
        "before": "09:00:00 stopped at step 1 of 3000; run again to continue\n",
        "empty": "",
    }
    for name, text in ends.items():
        (tmp_path / f"{name}.log").write_text(text)
        os.utime(tmp_path / f"{name}.log", (100, 90 if name == "before" else 110))
    assert stopped_runs(tmp_path.glob("*.log"), since=100) == 1
