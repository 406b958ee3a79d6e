"""Files are whole or absent, and what a killed writer leaves is swept up."""

import errno
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rungs.errors import UserError
from rungs.files import replacing, write_text
from rungs.records.leftovers import remove_leftovers

KILLED_IN_WRITING = """
import os, signal, sys
from pathlib import Path
from rungs.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", ["table.csv", "seed0.json", "weights", "figure.v2.svg"])
def test_a_killed_writer_leaves_the_old_file_and_litter(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / name
    write_text(path, "old")
    write_text(path.with_name(".hidden.csv"), "not ours")
    command = [sys.executable, "-c", KILLED_IN_WRITING, str(path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(list(path.parent.iterdir())) == 3
    now = time.time()
    remove_leftovers(tmp_path, before=now - 3_600)
    assert len(list(path.parent.iterdir())) == 3, "it may still be in use"
    remove_leftovers(tmp_path, before=now - 3_600, ended={path.with_name("another.csv")})
    assert len(list(path.parent.iterdir())) == 3, "its writer may be another Snakemake's"
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    remove_leftovers(tmp_path, before=now - 3_600, ended={path})
    assert sorted(p.name for p in path.parent.iterdir()) == [".hidden.csv", name]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    remove_leftovers(tmp_path, before=now + 10)
    assert sorted(p.name for p in path.parent.iterdir()) == [".hidden.csv", name]


def test_a_failed_writer_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"table.csv: writing failed \(No space"):
        _fill_the_disk(tmp_path / "table.csv")
    assert not list(tmp_path.iterdir())


def _fill_the_disk(path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")


def test_there_may_be_nothing_to_sweep(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "absent", before=0)
