"""Stage `download`: bring one corpus here, byte for byte, and prove that it is the right one."""

import codecs
import hashlib
import http.client
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Protocol

from rungs.corpus.progress import transfer
from rungs.errors import UserError
from rungs.files import replacing

logger = logging.getLogger(__name__)

TIMEOUT = 30.0  # seconds without a byte
PAUSES = (1.0, 4.0)  # seconds before the second and the third attempt at one address
_CHUNK = 1 << 20  # bytes
_BUSY = (408, 429, 500, 502, 503, 504)  # HTTP statuses that may be gone in a moment


class _SourceError(Exception):
    """Why a source did not give the file; no OSError, which would be about the output."""


class _TransientError(_SourceError):
    """A failure that may be gone in a moment."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def run(
    *,
    addresses: Annotated[Sequence[str], "http, https or file; tried in order"],
    sha256: Annotated[str, "checksum of the whole file, hexadecimal"],
    local: Annotated[Path, "folder looked into first"],
    file_name: Annotated[str, "name of the file in that folder"],
    output: Annotated[Path, "output, the exact bytes"],
) -> str:
    """Take the local file if there is one, else download it; the output is the exact bytes.

    Raises:
        UserError: the local file has another checksum, no address gives the file, or the file is
            not UTF-8 text.
    """
    placed = local / file_name
    if placed.exists():
        source = str(placed)
        copy(placed, sha256, output)
    else:
        source = download(addresses, sha256, output, placed)
    return f"{output.stat().st_size:,} bytes from {source}, checksum verified"


def copy(local: Path, sha256: str, output: Path) -> None:
    """Write the bytes of ``local`` to ``output``.

    Raises:
        UserError: ``local`` cannot be read, has another checksum or is not UTF-8.
    """
    way_out = f"put the right file there, or remove it and {local.name} is downloaded"
    try:
        with local.open("rb") as content, replacing(output) as temporary:
            _receive(content, local.stat().st_size, temporary, local.name, sha256)
    except OSError as error:
        raise UserError(f"{local}: cannot be read ({error.strerror}); {way_out}") from error
    except _SourceError as answer:
        raise UserError(f"{local}: {answer}; {way_out}") from answer


def download(addresses: Sequence[str], sha256: str, output: Path, local: Path) -> str:
    """Write to ``output`` what the first address that works gives; return that address.

    Raises:
        UserError: none works; it says what each one answered, and that ``local`` is a way out.
    """
    answers = []
    for address in addresses:
        try:
            with replacing(output) as temporary:
                _fetch_patiently(address, temporary, local.name, sha256)
        except _SourceError as answer:
            logger.warning("%s: %s", address, answer)
            answers.append(f"{address}: {answer}")
        else:
            return address
    raise UserError(
        f"{local.name} could not be downloaded ({'; '.join(answers)}); "
        f"put the file into {local} to run without a network"
    )


def _fetch_patiently(address: str, destination: Path, name: str, sha256: str) -> None:
    for pause in PAUSES:
        try:
            return _fetch(address, destination, name, sha256)
        except _TransientError as answer:
            logger.warning("%s: %s; trying again in %g s", address, answer, pause)
            time.sleep(pause)
    return _fetch(address, destination, name, sha256)


def _fetch(address: str, destination: Path, name: str, sha256: str) -> None:
    scheme = address.partition("://")[0]
    if scheme not in ("http", "https", "file"):
        raise _SourceError("is not an http, https or file address")
    request = urllib.request.Request(address, headers={"User-Agent": "rungs"})  # noqa: S310, checked
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310, checked
    except urllib.error.HTTPError as error:
        kind = _TransientError if error.code in _BUSY else _SourceError
        raise kind(f"HTTP status {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        kind = _SourceError if scheme == "file" else _TransientError
        raise kind(_reason(error)) from error
    with response:
        length = response.headers["Content-Length"]
        _receive(response, int(length) if length else None, destination, name, sha256)


def _receive(
    source: _Readable, size: int | None, destination: Path, name: str, sha256: str
) -> None:
    """Write ``source`` to ``destination``, and check that it is whole, right and UTF-8."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    received, is_text = 0, True
    with destination.open("wb") as output, transfer(name, size) as advance:
        for chunk in _chunks(source):
            output.write(chunk)
            digest.update(chunk)
            received += len(chunk)
            is_text = is_text and _decodes(decoder, chunk)
            advance(len(chunk))
    if size is not None and received != size:
        raise _TransientError(f"is cut short, {received:,} of {size:,} bytes")
    if received == 0:
        raise _SourceError("is empty")
    if digest.hexdigest() != sha256.lower():
        raise _SourceError(f"has SHA-256 {digest.hexdigest()}, expected {sha256.lower()}")
    if not (is_text and _decodes(decoder, b"", final=True)):
        raise UserError(f"{name}: has the right checksum but is not UTF-8; a corpus must be UTF-8")


def _chunks(source: _Readable) -> Iterator[bytes]:
    try:
        while chunk := source.read(_CHUNK):
            yield chunk
    except (OSError, http.client.HTTPException) as error:
        raise _TransientError(_reason(error)) from error


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)  # urllib wraps the error it met
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
