import hashlib
import http.server
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rungs.corpus import download
from rungs.errors import UserError

TEXT = "To be,\r\nor not to be:\n\ufeffthat is the question — naïve?\r".encode()
SHA256 = hashlib.sha256(TEXT).hexdigest()
LATIN = "naïve".encode("latin-1")


class Handler(http.server.BaseHTTPRequestHandler):
    """What a public address can do, good and bad; the path says which."""

    requests: Counter[str]
    release: threading.Event

    def do_GET(self) -> None:
        self.requests[self.path] += 1
        if self.path == "/good" or (self.path == "/flaky" and self.requests[self.path] > 2):
            self.answer(TEXT)
        elif self.path == "/flaky":
            self.send_error(503)
        elif self.path == "/short":
            self.answer(TEXT[:-5], length=len(TEXT))
        elif self.path == "/wrong":
            self.answer(b"something else")
        elif self.path == "/empty":
            self.answer(b"")
        elif self.path == "/latin":
            self.answer(LATIN)
        elif self.path == "/unsized":
            self.answer(TEXT, length=None)
        elif self.path == "/stuck":
            self.answer(b"", length=5)
            self.release.wait(10)
        else:
            self.send_error(404)

    def answer(self, content: bytes, length: int | None = -1) -> None:
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(len(content) if length < 0 else length))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, its name
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(Handler, "requests", Counter(), raising=False)
    monkeypatch.setattr(Handler, "release", threading.Event(), raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        Handler.release.set()
        running.shutdown()
        thread.join()


def fetch(folder: Path, *addresses: str, sha256: str = SHA256) -> str:
    return download.run(
        addresses=addresses,
        sha256=sha256,
        local=folder / "data",
        file_name="play.txt",
        output=folder / "corpus" / "text.txt",
    )


def written(folder: Path) -> list[str]:
    return [path.name for path in (folder / "corpus").iterdir()]


@pytest.mark.parametrize("page", ["good", "unsized"])
def test_the_output_is_the_exact_bytes(tmp_path: Path, server: str, page: str) -> None:
    line = fetch(tmp_path, f"{server}/{page}", sha256=SHA256.upper())
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT
    assert written(tmp_path) == ["text.txt"]
    assert f"{len(TEXT)} bytes from {server}/{page}" in line


def test_a_server_that_is_busy_is_asked_again(tmp_path: Path, server: str) -> None:
    fetch(tmp_path, f"{server}/flaky")
    assert Handler.requests["/flaky"] == 3
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT


@pytest.mark.parametrize(
    ("page", "answer", "requests"),
    [
        ("absent", "HTTP status 404 Not Found", 1),
        ("short", f"is cut short, {len(TEXT) - 5} of {len(TEXT)} bytes", 3),
        ("wrong", f"has SHA-256 {hashlib.sha256(b'something else').hexdigest()}", 1),
        ("empty", "is empty", 1),
    ],
)
def test_a_failure_names_the_address_and_the_way_out_and_leaves_nothing(
    tmp_path: Path, server: str, page: str, answer: str, requests: int
) -> None:
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, f"{server}/{page}")
    message = str(refusal.value)
    assert f"{server}/{page}: {answer}" in message
    assert f"put the file into {tmp_path}/data/play.txt to run without a network" in message
    assert "\n" not in message
    assert Handler.requests[f"/{page}"] == requests
    assert written(tmp_path) == []


def test_a_wrong_checksum_is_shown_beside_the_expected_one(tmp_path: Path, server: str) -> None:
    with pytest.raises(UserError, match=f"expected {SHA256}"):
        fetch(tmp_path, f"{server}/wrong")


def test_a_corpus_that_is_not_utf_8_is_refused(tmp_path: Path, server: str) -> None:
    with pytest.raises(UserError, match=r"play\.txt: has the right checksum but is not UTF-8"):
        fetch(tmp_path, f"{server}/latin", sha256=hashlib.sha256(LATIN).hexdigest())
    assert written(tmp_path) == []


def test_a_cut_character_at_the_end_is_not_utf_8(tmp_path: Path) -> None:
    content = "é".encode()[:1]
    (tmp_path / "source.txt").write_bytes(content)
    address = (tmp_path / "source.txt").as_uri()
    with pytest.raises(UserError, match="not UTF-8"):
        fetch(tmp_path, address, sha256=hashlib.sha256(content).hexdigest())


def test_characters_may_lie_across_chunks(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_CHUNK", 1)
    fetch(tmp_path, f"{server}/good")
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT


def test_a_stuck_server_times_out(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.05)
    with pytest.raises(UserError, match=r"/stuck: timed out"):
        fetch(tmp_path, f"{server}/stuck")
    assert written(tmp_path) == []


def test_a_refused_connection_is_named(tmp_path: Path, server: str) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed:
        address = f"http://127.0.0.1:{closed.server_port}/good"
    with pytest.raises(UserError, match=f"{address}: Connection refused"):
        fetch(tmp_path, address)
    assert written(tmp_path) == []


def test_the_second_address_is_used_when_the_first_fails(tmp_path: Path, server: str) -> None:
    line = fetch(tmp_path, f"{server}/wrong", f"{server}/good")
    assert f"{server}/good" in line
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT
    assert written(tmp_path) == ["text.txt"]


def test_the_error_says_what_every_address_answered(tmp_path: Path, server: str) -> None:
    addresses = (f"{server}/absent", "ftp://host/play.txt", (tmp_path / "no.txt").as_uri())
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, *addresses)
    answers = ("HTTP status 404", "is not an http, https or file address", "No such file")
    for address, answer in zip(addresses, answers, strict=True):
        assert f"{address}: {answer}" in str(refusal.value)


def test_a_failure_keeps_the_output_of_an_earlier_run(tmp_path: Path, server: str) -> None:
    fetch(tmp_path, f"{server}/good")
    with pytest.raises(UserError):
        fetch(tmp_path, f"{server}/short")
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT


def test_a_local_file_is_used_without_a_network(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "play.txt").write_bytes(TEXT)
    line = fetch(tmp_path, "http://an.address.that.does.not.exist.invalid/play.txt")
    assert (tmp_path / "corpus" / "text.txt").read_bytes() == TEXT
    assert f"{tmp_path}/data/play.txt" in line


def test_a_wrong_local_file_is_an_error_even_if_an_address_works(
    tmp_path: Path, server: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "play.txt").write_bytes(b"another play")
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, f"{server}/good")
    message = str(refusal.value)
    assert message.startswith(f"{tmp_path}/data/play.txt: has SHA-256 ")
    assert hashlib.sha256(b"another play").hexdigest() in message
    assert SHA256 in message
    assert "remove it" in message
    assert written(tmp_path) == []


def test_a_folder_in_the_place_of_the_local_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data" / "play.txt").mkdir(parents=True)
    with pytest.raises(UserError, match=r"data/play\.txt: cannot be read"):
        fetch(tmp_path, "http://unused.invalid/")


def test_the_log_has_a_line_for_every_tenth(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_CHUNK", 3)
    content = b"a" * 3000
    (tmp_path / "source.txt").write_bytes(content)
    with caplog.at_level(logging.INFO):
        fetch(
            tmp_path,
            (tmp_path / "source.txt").as_uri(),
            sha256=hashlib.sha256(content).hexdigest(),
        )
    assert caplog.messages == [
        f"play.txt: {percent} % of 3,000 bytes" for percent in range(10, 101, 10)
    ]
