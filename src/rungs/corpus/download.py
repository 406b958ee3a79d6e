"""Stage `download`: bring one file of a corpus here, byte for byte, and prove that it is right.

What has arrived is kept outside the output, which a workflow deletes when a job fails, so that an
interruption costs nothing of a file of 2 GB.
"""

import hashlib
import http.client
import logging
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Annotated, Protocol

from rungs.corpus.progress import transfer
from rungs.errors import UserError
from rungs.files import replacing, write_json
from rungs.reading import read_object

logger = logging.getLogger(__name__)

TIMEOUT = 30.0  # seconds without a byte
PAUSES = (1.0, 4.0)  # seconds before the second and the third attempt at one address
LONGEST_PAUSE = 300.0  # seconds, however long a server asks us to wait
_CHUNK = 1 << 20  # bytes
_BUSY = (408, 429, 500, 502, 503, 504)  # HTTP statuses that may be gone in a moment


class _SourceError(Exception):
    """Why a source did not give the file; no OSError, which would be about the output."""


class _TransientError(_SourceError):
    """A failure that may be gone in a moment, or in the seconds that the server says."""

    def __init__(self, answer: str, seconds: float = 0.0) -> None:
        super().__init__(answer)
        self.seconds = seconds


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def run(
    *,
    addresses: Annotated[Sequence[str], "http, https or file; tried in order"] = (),
    sha256: Annotated[str, "checksum of the whole file, hexadecimal"],
    local: Annotated[Path, "folder looked into first"],
    file_name: Annotated[str, "name of the file in that folder"],
    partial: Annotated[Path, "folder where unfinished files are kept"],
    output: Annotated[Path, "output, the exact bytes"],
) -> str:
    """Take the local file if there is one, else download it; the output is the exact bytes.

    Raises:
        UserError: the local file has another checksum, or no address gives the file.
    """
    placed, sha256 = local / file_name, sha256.lower()
    source = str(placed)
    if placed.exists():
        copy(placed, sha256, output)
    elif not addresses:
        raise UserError(f"{placed}: is missing, and has no public address; put the file there")
    else:
        unfinished = partial / sha256
        source = download(addresses, sha256, unfinished, placed)
        _move(unfinished, output)
    return f"{output.stat().st_size:,} bytes from {source}, checksum verified"


def copy(local: Path, sha256: str, output: Path) -> None:
    """Write the bytes of ``local`` to ``output``.

    Raises:
        UserError: ``local`` cannot be read or has another checksum.
    """
    way_out = f"put the right file there, or remove it and {local.name} is downloaded"
    digest = hashlib.sha256()
    try:
        with local.open("rb") as content, replacing(output) as temporary:
            with temporary.open("wb") as file:
                _receive(content, digest.update, file.write)
            _refuse_other(digest.hexdigest(), sha256)
    except OSError as error:
        raise UserError(f"{local}: cannot be read ({error.strerror}); {way_out}") from error
    except _SourceError as answer:
        raise UserError(f"{local}: {answer}; {way_out}") from answer


def download(addresses: Sequence[str], sha256: str, partial: Path, local: Path) -> str:
    """Complete ``partial`` from the first address that works; return that address.

    Raises:
        UserError: none works; it says what each one answered, and that ``local`` is a way out.
    """
    answers = []
    for address in addresses:
        try:
            _complete_patiently(address, partial, sha256, local.name)
        except _SourceError as answer:
            logger.warning("%s: %s", address, answer)
            answers.append(f"{address}: {answer}")
        except OSError as error:
            raise UserError(f"{partial}: cannot be written ({error.strerror})") from error
        else:
            return address
    raise UserError(
        f"{local.name} could not be downloaded ({'; '.join(answers)}); run again to continue, or "
        f"put the file into {local} to run without a network"
    )


def _complete_patiently(address: str, partial: Path, sha256: str, name: str) -> None:
    for pause in PAUSES:
        try:
            return _complete(address, partial, sha256, name)
        except _TransientError as answer:
            seconds = min(max(pause, answer.seconds), LONGEST_PAUSE)
            logger.warning("%s: %s; trying again in %g s", address, answer, seconds)
            time.sleep(seconds)
    return _complete(address, partial, sha256, name)


def _complete(address: str, partial: Path, sha256: str, name: str) -> None:
    """Append to ``partial`` what is missing of it, and check the whole.

    A whole that is not the right one is thrown away. If it was continued, its parts may be of two
    versions, and another attempt starts anew.
    """
    partial.parent.mkdir(parents=True, exist_ok=True)
    digest, start = hashlib.sha256(), 0
    with partial.open("ab+") as file:
        file.seek(0)
        _receive(file, digest.update)
        have = file.tell()
        if digest.hexdigest() != sha256:  # else an earlier run was stopped before it moved the file
            with _ask(address, partial, have) as response:
                start, total = _sent(response)
                if start not in (0, have):
                    _discard(partial)
                    raise _TransientError(f"was asked for byte {have:,} and sends byte {start:,}")
                if not start:
                    digest = hashlib.sha256()
                    file.truncate(0)
                    _remember_version(partial, address, response.headers)
                with transfer(name, total) as advance:
                    advance(start)
                    _receive(response, digest.update, file.write, lambda chunk: advance(len(chunk)))
            size = file.tell()
            if total is not None and size != total:
                raise _TransientError(f"is cut short, {size:,} of {total:,} bytes")
        file.flush()
        os.fsync(file.fileno())
    try:
        _refuse_other(digest.hexdigest(), sha256)
    except _SourceError as answer:
        _discard(partial)
        raise _TransientError(str(answer)) if start else answer from None


def _ask(address: str, partial: Path, have: int) -> http.client.HTTPResponse:
    """Ask for what follows the first ``have`` bytes, or for all if they are of another version."""
    scheme = address.partition("://")[0]
    if scheme not in ("http", "https", "file"):
        raise _SourceError("is not an http, https or file address")
    request = urllib.request.Request(address, headers={"User-Agent": "rungs"})  # noqa: S310, checked
    if have:
        request.add_header("Range", f"bytes={have}-")
        if version := _versions(partial).get(address):
            request.add_header("If-Range", version)
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310, checked
    except urllib.error.HTTPError as error:
        answer = f"HTTP status {error.code} {error.reason}"
        if error.code == 416 and have:  # it has no more than we have, which is not the whole
            _discard(partial)
            raise _TransientError(answer) from error
        if error.code in _BUSY:
            raise _TransientError(answer, _seconds(error.headers["Retry-After"])) from error
        raise _SourceError(answer) from error
    except (OSError, http.client.HTTPException) as error:
        kind = _SourceError if scheme == "file" else _TransientError
        raise kind(_reason(error)) from error


def _sent(response: http.client.HTTPResponse) -> tuple[int, int | None]:
    """Return at which byte of the file the answer starts, and the bytes of the whole if known."""
    if response.status != 206:  # all of it; the address of a file has no status
        length = response.headers["Content-Length"]
        return 0, int(length) if length else None
    said = response.headers["Content-Range"] or ""
    if not (found := re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", said)):
        raise _SourceError(f"sends a part without saying which, Content-Range {said!r}")
    return int(found[1]), None if found[2] == "*" else int(found[2])


def _remember_version(partial: Path, address: str, headers: http.client.HTTPMessage) -> None:
    """Keep what names the version of the file at an address; a weak name does not do."""
    tag, date = headers["ETag"], headers["Last-Modified"]
    version = tag if tag and not tag.startswith("W/") else date
    write_json(_version_file(partial), {address: version} if version else {})


def _versions(partial: Path) -> dict[str, str]:
    """Return what ``partial`` is the beginning of: a version, by the one address that it is of."""
    path = _version_file(partial)
    return read_object(path) if path.exists() else {}


def _version_file(partial: Path) -> Path:
    return partial.with_suffix(".json")


def _seconds(retry_after: str | None) -> float:
    """Return how long a server asks us to wait, in seconds or up to a date."""
    if not retry_after or retry_after.isdecimal():
        return float(retry_after or 0)
    with suppress(TypeError, ValueError):  # no date, or one without a zone
        return (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
    return 0.0


def _receive(source: _Readable, *takers: Callable[[bytes], object]) -> None:
    for chunk in _chunks(source):
        for take in takers:
            take(chunk)


def _chunks(source: _Readable) -> Iterator[bytes]:
    try:
        while chunk := source.read(_CHUNK):
            yield chunk
    except (OSError, http.client.HTTPException) as error:
        raise _TransientError(_reason(error)) from error


def _refuse_other(found: str, sha256: str) -> None:
    if found != sha256:
        raise _SourceError(f"has SHA-256 {found}, expected {sha256}")


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)  # urllib wraps the error it met
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


def _move(partial: Path, output: Path) -> None:
    """Make the finished file the output; a copy only where it is on another disk."""
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.replace(output)
    except OSError:
        with replacing(output) as temporary:
            shutil.copyfile(partial, temporary)
    _discard(partial)


def _discard(partial: Path) -> None:
    for path in (partial, _version_file(partial)):
        path.unlink(missing_ok=True)
