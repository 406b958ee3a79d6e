"""How the ends of jobs are noticed: every kind of cluster gets an answer or a refusal."""

from pathlib import Path

import pytest

from rungs.cluster.status import status
from tests.cluster.commands import NO_ACCOUNTING, on_path


@pytest.fixture(autouse=True)
def undecided() -> None:
    status.cache_clear()


def remembering(seconds: int) -> str:
    return f"echo 'MinJobAge               = {seconds} sec'"


def test_accounting_that_answers_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(tmp_path, monkeypatch, sacct="exit 0", scontrol=remembering(5))
    assert status().command == "sacct"
    assert "sacct, which answers" in status().sentence
    assert not status().problem


def test_without_accounting_the_queue_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, sacct=NO_ACCOUNTING, scontrol=remembering(300))
    assert status().command == "squeue"
    assert "squeue (sacct: Slurm accounting storage is disabled)" in status().sentence
    assert not status().problem


def test_without_sacct_the_queue_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(tmp_path, monkeypatch, scontrol=remembering(300))
    assert status().command == "squeue"
    assert "sacct: not found" in status().sentence


@pytest.mark.parametrize("seconds", [0, 60, 180])
def test_a_queue_that_forgets_too_soon_is_refused(
    seconds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, sacct=NO_ACCOUNTING, scontrol=remembering(seconds))
    assert f"forgets a job {seconds} s after its end (MinJobAge)" in status().problem


def test_a_controller_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, sacct=NO_ACCOUNTING, scontrol="echo down >&2; exit 1")
    assert status().problem == "scontrol: down"
