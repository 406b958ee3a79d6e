"""Questions to SLURM, and which of its jobs are ours."""

from pathlib import Path

import pytest

from rungs.cluster import slurm
from rungs.errors import UserError
from tests.cluster.commands import on_path

QUEUE = """\
2|COMPLETED|None|rungs_871e2f95|{folder}
3|PENDING|Resources|rungs_0a|{folder}
4|RUNNING|None|rungs_0a|/somewhere/else
5|RUNNING|None|interactive|{folder}
6_1|COMPLETING|None|rungs_0a|{folder}
"""


def test_ours_have_our_name_and_our_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = QUEUE.format(folder=tmp_path)
    on_path(tmp_path, monkeypatch, squeue=f"cat <<'END'\n{text}END")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    jobs = slurm.jobs_of(tmp_path)
    assert [(job.number, job.live) for job in jobs] == [("2", False), ("3", True), ("6_1", True)]
    assert jobs[1].reason == "Resources"


def test_a_folder_is_the_same_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    line = f"3|RUNNING|None|rungs_0a|{tmp_path / 'link'}\n"
    assert len(slurm.parse(line, tmp_path / "real")) == 1


def test_what_does_not_answer_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, squeue="echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(UserError, match="squeue: Unable to contact slurm controller"):
        slurm.jobs_of(tmp_path)
    with pytest.raises(UserError, match="scancel: not found; on a cluster, run this where sbatch"):
        slurm.cancel([slurm.ClusterJob("3", "RUNNING", "None", "rungs_0a")])
