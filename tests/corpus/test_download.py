"""One file from addresses that break off, are busy, forget where we were, and change the file."""

import hashlib
import http.server
import logging
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from rungs.corpus import download
from rungs.corpus.stories import MARKER
from rungs.errors import UserError

STORIES = "".join(f"Once there was a dog, number {n}.\n{MARKER}\n" for n in range(3_000)).encode()
OTHER = STORIES.replace(b"dog", b"cat")
SHA256, OTHER_SHA256 = (hashlib.sha256(text).hexdigest() for text in (STORIES, OTHER))
PIECE = 50_000


class Handler(http.server.BaseHTTPRequestHandler):
    """What a public address can do, good and bad; words of the path say which."""

    asked: list[dict[str, str]]
    """Of each request its path and the headers of a continuation."""
    release: threading.Event

    def do_GET(self) -> None:
        words = self.path.strip("/").split("-")
        self.asked.append({"path": self.path} | {k: self.headers[k] for k in ("Range", "If-Range")})
        attempt = sum(said["path"] == self.path for said in self.asked)
        busy = {"busy": 429, "down": 503}.get(words[0])
        if busy and attempt <= 2:
            self.send_response(busy)
            if len(words) > 1:
                wait = words[1]
                if wait == "date":
                    wait = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
                self.send_header("Retry-After", wait)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif "absent" in words:
            self.send_error(404)
        elif "stuck" in words:
            self.answer(b"", 200, {"Content-Length": "5"})
            self.release.wait(10)
        else:
            changed = ("changing" in words and attempt > 1) or "other" in words
            self.give(words, OTHER if changed else STORIES, '"b"' if changed else '"a"')

    def give(self, words: list[str], content: bytes, version: str) -> None:
        wanted, condition = self.headers["Range"], self.headers["If-Range"]
        start, headers = 0, {}
        if "weak" in words:
            headers |= {"ETag": f"W/{version}", "Last-Modified": f"of {version}"}
        elif "nameless" not in words:
            headers["ETag"] = version
        matches = condition in (None, *headers.values())
        if wanted and matches and "forgetful" not in words:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                return self.send_error(416)
            said = start - 1 if "shifted" in words else start
            headers["Content-Range"] = f"bytes {said}-{len(content) - 1}/{len(content)}"
        if "unsized" not in words:
            headers["Content-Length"] = str(len(content) - start)
        breaks = "pieces" in words or ("once" in words and len(self.asked) == 1)
        pieces = content[start : start + PIECE] if breaks else content[start:]
        return self.answer(pieces, 206 if "Content-Range" in headers else 200, headers)

    def answer(self, content: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, its name
        pass


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause, none of which is made."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, waited: list[float]) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "_CHUNK", 1_000)
    monkeypatch.setattr(Handler, "asked", [], raising=False)
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
        file_name="stories.txt",
        partial=folder / "partial",
        output=folder / "corpus" / "train.txt",
    )


def fetched(folder: Path) -> bytes:
    """Return the output, beside which nothing is left."""
    assert [path.name for path in (folder / "corpus").iterdir()] == ["train.txt"]
    assert not (folder / "partial").exists() or not list((folder / "partial").iterdir())
    return (folder / "corpus/train.txt").read_bytes()


def ranges() -> list[str | None]:
    return [said["Range"] for said in Handler.asked]


@pytest.mark.parametrize("page", ["whole", "unsized", "nameless"])
def test_the_output_is_the_exact_bytes(tmp_path: Path, server: str, page: str) -> None:
    line = fetch(tmp_path, f"{server}/{page}", sha256=SHA256.upper())
    assert fetched(tmp_path) == STORIES
    assert f"{len(STORIES):,} bytes from {server}/{page}" in line


@pytest.mark.parametrize(
    ("page", "version"),
    [("pieces", '"a"'), ("pieces-weak", 'of "a"'), ("pieces-nameless", None)],
)
def test_every_attempt_continues_where_the_last_one_broke_off(
    tmp_path: Path, server: str, page: str, version: str | None
) -> None:
    assert len(STORIES) < 3 * PIECE
    fetch(tmp_path, f"{server}/{page}")
    assert fetched(tmp_path) == STORIES
    assert ranges() == [None, f"bytes={PIECE}-", f"bytes={2 * PIECE}-"]
    assert [said["If-Range"] for said in Handler.asked] == [None, version, version]


def test_another_run_continues_what_an_earlier_one_left(tmp_path: Path, server: str) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(STORIES[:PIECE])
    fetch(tmp_path, f"{server}/whole")
    assert fetched(tmp_path) == STORIES
    assert ranges() == [f"bytes={PIECE}-"]


def test_a_file_that_is_whole_already_is_not_fetched(tmp_path: Path, server: str) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(STORIES)
    fetch(tmp_path, f"{server}/whole")
    assert fetched(tmp_path) == STORIES
    assert not Handler.asked


@pytest.mark.parametrize("page", ["pieces-forgetful", "pieces-shifted"])
def test_what_is_not_the_rest_is_not_appended(tmp_path: Path, server: str, page: str) -> None:
    """Everything again in place of the rest, and bytes from another place than asked for."""
    with pytest.raises(UserError, match=r"is cut short, 50,000 of|sends byte 49,999"):
        fetch(tmp_path, f"{server}/{page}")
    fetch(tmp_path, f"{server}/{page.removeprefix('pieces-')}-whole")
    assert fetched(tmp_path) == STORIES


@pytest.mark.parametrize("sha256", [SHA256, OTHER_SHA256])
def test_a_file_that_changed_meanwhile_is_not_glued_to_its_old_half(
    tmp_path: Path, server: str, sha256: str
) -> None:
    """The half is of the old version, and what the server has by then is right or is not."""
    if sha256 == OTHER_SHA256:
        fetch(tmp_path, f"{server}/once-changing", sha256=sha256)
        assert fetched(tmp_path) == OTHER
    else:
        both = f"has SHA-256 {OTHER_SHA256}, expected {SHA256}.*put the file into"
        with pytest.raises(UserError, match=both):
            fetch(tmp_path, f"{server}/once-changing", sha256=sha256)
        assert not list((tmp_path / "partial").iterdir())
    assert ranges() == [None, f"bytes={PIECE}-"]
    assert Handler.asked[1]["If-Range"] == '"a"'


def test_halves_of_two_versions_without_a_name_are_thrown_away(tmp_path: Path, server: str) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(OTHER[:PIECE])
    fetch(tmp_path, f"{server}/nameless")
    assert fetched(tmp_path) == STORIES
    assert ranges() == [f"bytes={PIECE}-", None]


def test_more_than_the_server_has_is_thrown_away(tmp_path: Path, server: str) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(STORIES + b"more")
    fetch(tmp_path, f"{server}/whole")
    assert fetched(tmp_path) == STORIES


@pytest.mark.parametrize(
    ("page", "pauses"),
    [
        ("busy", [1, 4]),
        ("busy-0", [1, 4]),
        ("busy-3", [3, 4]),
        ("down-9", [9, 9]),
        ("busy-date", [pytest.approx(89, abs=2)] * 2),
        ("down-99999", [300, 300]),
        ("down-soon", [1, 4]),
    ],
)
def test_a_busy_server_is_asked_again_when_it_says(
    tmp_path: Path, server: str, waited: list[float], page: str, pauses: list[float]
) -> None:
    fetch(tmp_path, f"{server}/{page}")
    assert fetched(tmp_path) == STORIES
    assert waited == pauses


@pytest.mark.parametrize(
    ("page", "answer", "requests"),
    [
        ("absent", "HTTP status 404 Not Found", 1),
        ("other", f"has SHA-256 {OTHER_SHA256}, expected {SHA256}", 1),
    ],
)
def test_a_failure_names_the_address_and_the_way_out(
    tmp_path: Path, server: str, page: str, answer: str, requests: int
) -> None:
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, f"{server}/{page}")
    message = str(refusal.value)
    assert f"{server}/{page}: {answer}" in message
    assert f"put the file into {tmp_path}/data/stories.txt to run without a network" in message
    assert "\n" not in message
    assert len(Handler.asked) == requests
    assert not (tmp_path / "corpus").exists()


def test_what_arrived_is_kept_when_no_address_gives_the_rest(tmp_path: Path, server: str) -> None:
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / SHA256).write_bytes(STORIES[:10])
    with pytest.raises(UserError, match=r"404 .*run again to continue"):
        fetch(tmp_path, f"{server}/absent")
    assert (tmp_path / "partial" / SHA256).read_bytes() == STORIES[:10]


def test_a_stuck_server_times_out(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.05)
    with pytest.raises(UserError, match=r"/stuck: timed out"):
        fetch(tmp_path, f"{server}/stuck")


def test_a_refused_connection_is_named(tmp_path: Path, server: str) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed:
        address = f"http://127.0.0.1:{closed.server_port}/whole"
    with pytest.raises(UserError, match=f"{address}: Connection refused"):
        fetch(tmp_path, address)


def test_the_second_address_is_used_when_the_first_fails(tmp_path: Path, server: str) -> None:
    line = fetch(tmp_path, f"{server}/other", f"{server}/whole")
    assert f"{server}/whole" in line
    assert fetched(tmp_path) == STORIES


def test_the_error_says_what_every_address_answered(tmp_path: Path, server: str) -> None:
    addresses = (f"{server}/absent", "ftp://host/play.txt", (tmp_path / "no.txt").as_uri())
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, *addresses)
    answers = ("HTTP status 404", "is not an http, https or file address", "No such file")
    for address, answer in zip(addresses, answers, strict=True):
        assert f"{address}: {answer}" in str(refusal.value)


def test_a_failure_keeps_the_output_of_an_earlier_run(tmp_path: Path, server: str) -> None:
    fetch(tmp_path, f"{server}/whole")
    with pytest.raises(UserError):
        fetch(tmp_path, f"{server}/other")
    assert fetched(tmp_path) == STORIES


def test_a_local_file_is_used_without_a_network(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/stories.txt").write_bytes(STORIES)
    assert f"{tmp_path}/data/stories.txt" in fetch(tmp_path, "http://127.0.0.1:9/never-asked")
    assert fetched(tmp_path) == STORIES


def test_a_wrong_local_file_is_an_error_even_if_an_address_works(
    tmp_path: Path, server: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/stories.txt").write_bytes(OTHER)
    with pytest.raises(UserError) as refusal:
        fetch(tmp_path, f"{server}/whole")
    said = f"{tmp_path}/data/stories.txt: has SHA-256 {OTHER_SHA256}, expected {SHA256}; "
    assert str(refusal.value).startswith(said)
    assert "remove it" in str(refusal.value)
    assert not list((tmp_path / "corpus").iterdir())


def test_a_folder_in_the_place_of_the_local_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data/stories.txt").mkdir(parents=True)
    with pytest.raises(UserError, match=r"data/stories\.txt: cannot be read"):
        fetch(tmp_path, "http://unused.invalid/")


def test_a_file_without_an_address_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"stories\.txt: is missing, and has no public address"):
        fetch(tmp_path)


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
        f"stories.txt: {percent} % of 3,000 bytes" for percent in range(10, 101, 10)
    ]
