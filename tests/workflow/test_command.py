"""The command that the results name is the one that was typed, wherever the clone lies."""

import contextlib
import json
from pathlib import Path

import pytest

from rungs.planning.jobs import jobs_to_run
from rungs.records.stages import option
from tests.workflow.tree import plant

pytestmark = pytest.mark.workflow


@pytest.fixture(autouse=True)
def its_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of a clone refuse to run with another's."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "a/b/rungs/src"))


def named(clone: Path, *typed: str) -> set[str | None]:
    """Return the commands that claims, noise and report would name."""
    folder = clone / (typed[1] if typed[:1] == ("--directory",) else "")
    words = ("--cores", "1", *typed, "--", "results/report.html")
    with contextlib.chdir(clone):
        jobs = {job.command[0]: job.command for job in jobs_to_run(words, folder) if job.command}
    settings = [option(jobs[name], "--settings") or "" for name in ("claims", "seed-noise")]
    return {*(json.loads(s)["command"] for s in settings), option(jobs["report"], "--command")}


def test_results_name_the_command_as_it_was_typed(tmp_path: Path) -> None:
    clone = tmp_path / "a/b/rungs"
    clone.mkdir(parents=True)
    plant(clone)
    for path in (clone / "mine.yaml", clone.parent / "mine.yaml", tmp_path / "mine.yaml"):
        path.write_text("seeds: [0]\n")
    everything = "snakemake --cores all"
    assert named(clone) == {everything}
    typed = ("--directory", "../out", "--configfile", "mine.yaml", "../mine.yaml")
    assert named(clone, *typed) == {f"{everything} {' '.join(typed)} --"}
    typed = ("--directory", str(tmp_path / "out"), "--configfile", str(tmp_path / "mine.yaml"))
    assert named(clone, *typed) == {f"{everything} {' '.join(typed)} --"}
    # A path of the clone is not typed by anybody else.
    typed = ("--directory", str(clone / "out"), "--configfile", str(clone / "mine.yaml"))
    assert named(clone, *typed) == {f"{everything} --directory out --configfile mine.yaml --"}
    (clone / "link").symlink_to(tmp_path)
    assert named(clone, "--directory", "link") == {f"{everything} --directory link"}
