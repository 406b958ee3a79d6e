"""What a head does before its first job, with stand-ins for SLURM's commands."""

import contextlib
import json
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rungs.cluster import head
from rungs.cluster.attendance import Attendance
from rungs.cluster.status import status
from rungs.errors import UserError
from tests.cluster.commands import NO_ACCOUNTING, on_path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Attendance, "start", lambda self: None)
    status.cache_clear()
    before = signal.getsignal(head.INTERRUPT)
    yield tmp_path
    signal.signal(head.INTERRUPT, before)


def attend(stack: contextlib.ExitStack) -> list[str]:
    said: list[str] = []
    head.attend(stack, expected=lambda: 0, say=said.append)
    return said


def cluster(folder: Path, monkeypatch: pytest.MonkeyPatch, **bodies: str) -> None:
    """Put commands on the PATH that answer as those of a cluster without accounting and jobs."""
    usual = {
        "sinfo": "echo lab", "sacct": NO_ACCOUNTING, "squeue": "exit 0",
        "scontrol": "echo 'MinJobAge = 300 sec'", **bodies,
    }  # fmt: skip
    commands = folder / "commands"
    commands.mkdir()
    on_path(commands, monkeypatch, **usual)
    monkeypatch.setenv("PATH", f"{commands}:/usr/bin:/bin")


def test_away_from_a_cluster_it_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(folder, monkeypatch)
    with contextlib.ExitStack() as stack, pytest.raises(UserError, match="run this where sbatch"):
        attend(stack)
    assert not head.HEAD.exists()


def test_a_cluster_on_which_ends_would_be_missed_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster(folder, monkeypatch, scontrol="echo 'MinJobAge = 20 sec'")
    with contextlib.ExitStack() as stack, pytest.raises(UserError, match="forgets a job 20 s"):
        attend(stack)


def test_a_second_head_is_refused_while_the_first_lives(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster(folder, monkeypatch)
    first = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    lease = {
        "host": platform.node(), "process": first.pid, "job": "", "token": "first", "beat": 0,
        "born": psutil.Process(first.pid).create_time(),
    }  # fmt: skip
    head.HEAD.parent.mkdir()
    head.HEAD.write_text(json.dumps(lease))
    with contextlib.ExitStack() as stack, pytest.raises(UserError, match=f"process {first.pid} on"):
        attend(stack)
    first.kill()
    first.wait()
    with contextlib.ExitStack() as stack:
        assert "noticed through squeue" in attend(stack)[0]
        assert head.HEAD.exists()
    assert not head.HEAD.exists()


def test_jobs_of_an_earlier_head_are_cancelled_and_their_end_awaited(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = f"7|RUNNING|None|rungs_a|{folder}\\n8|COMPLETED|None|rungs_a|{folder}\\n"
    cluster(
        folder,
        monkeypatch,
        # One more look after the cancellation still finds the job.
        squeue=f"[ -e gone ] || printf '{lines}'; [ ! -e cancelled ] || touch gone",
        scancel='echo "$@" > cancelled',
    )
    with contextlib.ExitStack() as stack:
        said = attend(stack)
    assert said[1].startswith("SLURM: cancelled what an earlier Snakemake submitted")
    assert Path("cancelled").read_text() == "7\n"
    assert Path("gone").exists()


def test_jobs_that_do_not_end_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "PATIENCE_SECONDS", 0.0)
    line = f"7|RUNNING|None|rungs_a|{folder}"
    cluster(folder, monkeypatch, squeue=f"echo '{line}'", scancel="exit 0")
    with contextlib.ExitStack() as stack, pytest.raises(UserError, match=r"do not end \(7\)"):
        attend(stack)
