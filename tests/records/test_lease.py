"""Leases: one holder at a time, whoever was killed, wherever it was."""

import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from rungs.records import lease


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(lease, "SILENT_SECONDS", 0.5)


def nothing() -> None:
    pass


def written(path: Path, **changes: object) -> None:
    """Write a lease of this process, changed."""
    mine = {
        "host": platform.node(), "process": os.getpid(), "job": "7", "token": "other", "beat": 0,
        "born": psutil.Process().create_time(), **changes,
    }  # fmt: skip
    path.write_text(json.dumps(mine))


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.01)


def test_a_lease_is_there_while_it_is_held(tmp_path: Path) -> None:
    path = tmp_path / "folder/run.json"
    with lease.held(path, nothing, print):
        held = json.loads(path.read_text())
        assert (held["host"], held["process"]) == (platform.node(), os.getpid())
        until(lambda: json.loads(path.read_text())["beat"] > 1)
    assert not list(path.parent.iterdir())


def test_an_error_ends_it_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lease.held(tmp_path / "run.json", nothing, print):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_the_second_asks_the_first_to_stop_and_waits_for_it(tmp_path: Path) -> None:
    path, asked, order, said = tmp_path / "run.json", threading.Event(), [], []

    def first() -> None:
        with lease.held(path, asked.set, print):
            order.append("first")
            asked.wait()
            time.sleep(0.3)  # the checkpoint
            order.append("first stops")

    thread = threading.Thread(target=first)
    thread.start()
    until(lambda: bool(order))
    with lease.held(path, nothing, said.append):
        order.append("second")
    thread.join()
    assert order == ["first", "first stops", "second"]
    assert len(said) == 1
    assert f"held by process {os.getpid()} on {platform.node()}" in said[0]
    assert not list(tmp_path.iterdir())


def test_a_killed_holder_of_this_host_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "SILENT_SECONDS", 3600)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    written(tmp_path / "run.json", process=gone.pid)
    assert lease.holder(tmp_path / "run.json", print) is None
    with lease.held(tmp_path / "run.json", nothing, print):
        pass


def test_a_number_that_another_process_has_now_is_not_the_holder(tmp_path: Path) -> None:
    written(tmp_path / "run.json", born=1.0)
    assert lease.holder(tmp_path / "run.json", print) is None


def test_a_silent_holder_of_another_host_is_waited_for_some_time(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    written(path, host="elsewhere")
    started = time.monotonic()
    assert lease.holder(path, print) is None
    assert not path.exists()
    written(path, host="elsewhere")
    said: list[str] = []
    with lease.held(path, nothing, said.append):
        assert time.monotonic() - started > 2 * 0.5
    assert "job 7 on elsewhere" in said[0]


def test_a_beating_holder_of_another_host_is_alive(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    written(path, host="elsewhere")
    stop = threading.Event()

    def beat() -> None:
        number = 0
        while not stop.wait(0.1):
            number += 1
            fresh = path.with_suffix(".fresh")
            written(fresh, host="elsewhere", beat=number)
            fresh.replace(path)

    thread = threading.Thread(target=beat)
    thread.start()
    assert lease.holder(path, print) == f"process {os.getpid()}, job 7 on elsewhere"
    taken = threading.Event()

    def take() -> None:
        with lease.held(path, nothing, print):
            taken.set()

    waiting = threading.Thread(target=take)
    waiting.start()
    assert not taken.wait(3 * 0.5)
    assert path.with_suffix(".wanted").exists()
    stop.set()
    assert taken.wait(60)
    thread.join()
    waiting.join()


def test_a_wish_that_is_left_over_stops_nobody(tmp_path: Path) -> None:
    path, stopped = tmp_path / "run.json", threading.Event()
    written(path.with_suffix(".wanted"), **{"from": "an earlier holder"})
    with lease.held(path, stopped.set, print):
        assert not stopped.wait(0.5)


def test_nobody_is_stopped_by_its_own_wish(tmp_path: Path) -> None:
    path, stopped = tmp_path / "run.json", threading.Event()
    written(path)
    # The holder ends after it was read and before it is asked.
    with lease.held(path, stopped.set, lambda _: path.unlink()):
        assert path.with_suffix(".wanted").exists()
        assert not stopped.wait(0.5)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["deleted", "taken"])
def test_a_holder_that_lost_its_lease_stops(tmp_path: Path, damage: str) -> None:
    path, stopped = tmp_path / "run.json", threading.Event()
    with lease.held(path, stopped.set, print):
        if damage == "taken":
            written(path)
        else:
            path.unlink()
        # Between reading and writing a beat there is a moment in which damage is repaired.
        if not stopped.wait(1):
            path.unlink()
        assert stopped.wait(60)
    assert path.exists() == (damage == "taken")


def test_of_many_at_once_one_holds_it_at_a_time(tmp_path: Path) -> None:
    path, inside, most = tmp_path / "run.json", [], []

    def work() -> None:
        with lease.held(path, nothing, lambda _: None):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.02)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"host": "here"}'])
def test_a_damaged_lease_is_nobody_s(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    assert lease.holder(path, print) is None
