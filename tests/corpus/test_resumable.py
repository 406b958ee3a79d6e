import hashlib
import http.server
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rungs.corpus import resumable
from rungs.errors import UserError

CONTENT = random.Random(0).randbytes(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
TEXT = b"a story\n"


class Handler(http.server.BaseHTTPRequestHandler):
    """An address that breaks off after a million bytes; the path says how it goes on."""

    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        wanted = self.headers["Range"]
        self.asked.append((self.path, wanted))
        content = b"wrong" * 1000 if self.path == "/wrong" else CONTENT
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if self.path == "/missing":
            return self.send_error(404)
        if start >= len(content):
            return self.send_error(416)
        if wanted and self.path != "/forgetful":
            self.send_response(206)
        else:
            self.send_response(200)
            start = 0
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        breaks = self.path == "/breaking" or (self.path == "/forgetful" and len(self.asked) == 1)
        self.wfile.write(content[start : start + 1_000_000] if breaks else content[start:])
        return None

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, its name
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(resumable, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(Handler, "asked", [], raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def fetch(folder: Path, *addresses: str, sha256: str = SHA256) -> str:
    return resumable.run(
        addresses=addresses,
        sha256=sha256,
        local=folder / "data",
        file_name="stories.txt",
        partial=folder / "partial",
        output=folder / "corpus" / "train.txt",
    )


def test_every_attempt_continues_where_the_last_one_broke_off(server: str, tmp_path: Path) -> None:
    assert "checksum verified" in fetch(tmp_path, f"{server}/breaking")
    assert (tmp_path / "corpus/train.txt").read_bytes() == CONTENT
    assert [asked for _, asked in Handler.asked] == [None, "bytes=1000000-", "bytes=2000000-"]
    assert not list((tmp_path / "partial").iterdir())


def test_another_run_continues_what_an_earlier_one_left(server: str, tmp_path: Path) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(CONTENT[:2_500_000])
    fetch(tmp_path, f"{server}/good")
    assert (tmp_path / "corpus/train.txt").read_bytes() == CONTENT
    assert Handler.asked == [("/good", "bytes=2500000-")]


def test_a_file_that_is_whole_already_is_not_fetched(server: str, tmp_path: Path) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(CONTENT)
    fetch(tmp_path, f"{server}/good")
    assert (tmp_path / "corpus/train.txt").read_bytes() == CONTENT


def test_a_server_that_sends_everything_again_is_taken_at_its_word(
    server: str, tmp_path: Path
) -> None:
    fetch(tmp_path, f"{server}/forgetful")
    assert (tmp_path / "corpus/train.txt").read_bytes() == CONTENT


def test_a_wrong_file_is_thrown_away_and_the_next_address_starts_anew(
    server: str, tmp_path: Path
) -> None:
    fetch(tmp_path, f"{server}/missing", f"{server}/wrong", f"{server}/good")
    assert (tmp_path / "corpus/train.txt").read_bytes() == CONTENT


def test_what_arrived_is_kept_when_no_address_gives_the_rest(server: str, tmp_path: Path) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(CONTENT[:10])
    with pytest.raises(UserError, match=r"404 .*run again to continue, or put the file into"):
        fetch(tmp_path, f"{server}/missing")
    assert (tmp_path / "partial" / SHA256).read_bytes() == CONTENT[:10]
    assert not (tmp_path / "corpus/train.txt").exists()


def test_the_local_file_is_used_without_a_network(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/stories.txt").write_bytes(b"another story\n")
    with pytest.raises(UserError, match="has SHA-256"):
        fetch(tmp_path, "http://127.0.0.1:9/never-asked")
    (tmp_path / "data/stories.txt").write_bytes(TEXT)
    fetch(tmp_path, "http://127.0.0.1:9/never-asked", sha256=hashlib.sha256(TEXT).hexdigest())
    assert (tmp_path / "corpus/train.txt").read_bytes() == TEXT


def test_a_file_without_an_address_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"stories\.txt: is missing, and has no public address"):
        fetch(tmp_path)
