"""What a failed job shows of its log."""

from pathlib import Path

from rungs.watching.ends import ends_of_logs


def test_a_short_log_is_shown_whole(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("begun\nerror: no\n")
    assert list(ends_of_logs([str(log)])) == [f"Logfile {log}:", "    begun", "    error: no"]


def test_of_a_long_log_the_end_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"\xff\n" + b"".join(b"step %d\n" % n for n in range(1_234)))
    heading, *lines = ends_of_logs([str(log)])
    assert heading == f"Logfile {log}, the last 20 of its 1,235 lines:"
    assert lines == [f"    step {n}" for n in range(1_214, 1_234)]


def test_a_missing_or_empty_log_hides_no_other(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.touch()
    shown = list(ends_of_logs([str(tmp_path / "absent.log"), str(empty)]))
    assert shown == [
        f"Logfile {tmp_path}/absent.log: cannot be read (No such file or directory)",
        f"Logfile {empty}: is empty",
    ]
