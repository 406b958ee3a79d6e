"""Leases: whoever works on something says so, and proves every few seconds that it still does.

A cluster takes a node for dead while its processes go on, and starts their work again elsewhere;
a killed Snakemake leaves its jobs behind, and the next one starts them again. Whoever comes second
asks the first to stop, waits until it has written its checkpoint, and continues from there.
"""

import contextlib
import os
import platform
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from rungs.errors import UserError
from rungs.files import write_json
from rungs.reading import read_object

BEAT_SECONDS = 5.0
SILENT_SECONDS = 120.0
"""A holder on another host that does not beat for so long is gone. Longer than a network file
system shows an old file to another host."""


@contextlib.contextmanager
def held(path: Path, stop: Callable[[], None], say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lease at ``path`` while the block runs; wait for it first, where it is held.

    A holder counts the seconds of nobody's clock but its own: what another host's clock says, and
    what the file system says about times, does not matter.

    Args:
        path: the lease's file, on a file system that every host sees.
        stop: called, once and from another thread, when somebody else wants the lease or took it.
        say: told once for whom the wait is.
    """
    token = uuid.uuid4().hex
    mine = {
        "host": platform.node(),
        "process": os.getpid(),
        "born": psutil.Process().create_time(),
        "job": os.environ.get("SLURM_JOB_ID", ""),
        "token": token,
    }
    _wait_for(path, mine, say)
    ended = threading.Event()
    beating = threading.Thread(target=_beat, args=(path, mine, stop, ended), daemon=True)
    beating.start()
    try:
        yield
    finally:
        ended.set()
        beating.join()
        if _read(path).get("token") == token:
            path.unlink(missing_ok=True)
            _wanted(path).unlink(missing_ok=True)


def holder(path: Path, say: Callable[[str], None]) -> str | None:
    """Return in words who holds the lease; None if nobody, or somebody who is gone.

    A holder on another host is watched until it beats. The lease of one that is silent for too
    long is removed.
    """
    lease = _read(path)
    if not lease or _dead(lease):
        return None
    if lease["host"] != platform.node():
        say(f"{path}: held by {_describe(lease)}; looking whether it is alive")
        started = time.monotonic()
        while _read(path) == lease:
            if time.monotonic() - started > SILENT_SECONDS:
                path.unlink(missing_ok=True)
                return None
            time.sleep(BEAT_SECONDS / 5)
    return _describe(lease)


def _describe(lease: dict[str, Any]) -> str:
    """Return a lease's holder in words: its process, its job and its host."""
    job = f", job {lease['job']}" if lease["job"] else ""
    return f"process {lease['process']}{job} on {lease['host']}"


def _wait_for(path: Path, mine: dict[str, Any], say: Callable[[str], None]) -> None:
    seen: dict[str, Any] = {}
    changed = time.monotonic()
    while not _create(path, mine):
        lease = _read(path)
        if lease != seen:
            if lease and lease["token"] != seen.get("token"):
                say(f"{path}: held by {_describe(lease)}; asked it to stop, and waiting for that")
                write_json(_wanted(path), {**mine, "from": lease["token"]})
            seen, changed = lease, time.monotonic()
        if _dead(lease) or time.monotonic() - changed > SILENT_SECONDS:
            # If another waiter was faster, this breaks its lease: it finds out and stops.
            path.unlink(missing_ok=True)
            _wanted(path).unlink(missing_ok=True)
        else:
            time.sleep(BEAT_SECONDS / 5)


def _create(path: Path, mine: dict[str, Any]) -> bool:
    """Create the lease unless there is one: a hard link is all or nothing, on NFS too."""
    fresh = path.with_name(f".{path.name}.{mine['token']}")
    write_json(fresh, {**mine, "beat": 0})
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    finally:
        fresh.unlink()
    return True


def _beat(
    path: Path, mine: dict[str, Any], stop: Callable[[], None], ended: threading.Event
) -> None:
    beat = 0
    while not ended.wait(BEAT_SECONDS):
        wish = _read(_wanted(path))  # which may be for an earlier holder, even this one's own
        if wish.get("from") == mine["token"] or _read(path).get("token") != mine["token"]:
            stop()
            return
        beat += 1
        with contextlib.suppress(UserError):  # a full disk stops the work by itself
            write_json(path, {**mine, "beat": beat})


def _dead(lease: dict[str, Any]) -> bool:
    """Say whether the holder was a process of this host that has ended."""
    if not lease or lease["host"] != platform.node():
        return False
    try:
        return psutil.Process(lease["process"]).create_time() != lease["born"]
    except psutil.NoSuchProcess:
        return True


def _read(path: Path) -> dict[str, Any]:
    """Return the lease, empty if there is none, or none that can be understood."""
    try:
        lease = read_object(path)
    except UserError:
        return {}
    return lease if lease.keys() >= {"token", "host", "process", "born", "job"} else {}


def _wanted(path: Path) -> Path:
    """Return where a waiter's wish is: who it is, and from which holder it wants the lease."""
    return path.with_suffix(".wanted")
