"""Stage `download-resumable`: a large file, continued where an interruption left it."""

import hashlib
import http.client
import logging
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from rungs.corpus.download import PAUSES, TIMEOUT, copy
from rungs.corpus.progress import transfer
from rungs.errors import UserError
from rungs.files import replacing

logger = logging.getLogger(__name__)

_CHUNK = 1 << 20  # bytes


class _RefusedError(Exception):
    """Why an address does not give the file; asking again would not help."""


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

    What has arrived is kept outside the output, which a workflow deletes when a job fails.

    Raises:
        UserError: the local file has another checksum, or no address gives the file.
    """
    placed = local / file_name
    if placed.exists():
        copy(placed, sha256, output)
        return f"{output.stat().st_size:,} bytes from {placed}, checksum verified"
    if not addresses:
        raise UserError(f"{placed}: is missing, and has no public address; put the file there")
    unfinished = partial / sha256
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    answers = []
    for address in addresses:
        try:
            _complete(address, unfinished, sha256, placed.name)
        except _RefusedError as answer:
            logger.warning("%s: %s", address, answer)
            answers.append(f"{address}: {answer}")
            continue
        _move(unfinished, output)
        return f"{output.stat().st_size:,} bytes from {address}, checksum verified"
    raise UserError(
        f"{placed.name} could not be downloaded ({'; '.join(answers)}); run again to continue, or "
        f"put the file into {placed} to run without a network"
    )


def _complete(address: str, partial: Path, sha256: str, name: str) -> None:
    """Bring the rest of the file and check the whole; a wrong one is thrown away."""
    for attempt in range(len(PAUSES) + 1):
        try:
            found = _continue(address, partial, name)
        except http.client.HTTPException as error:
            problem = type(error).__name__
        except OSError as error:  # what urllib raises, and a full disk
            if isinstance(error, urllib.error.HTTPError) and error.code in (401, 403, 404, 410):
                raise _RefusedError(f"HTTP status {error.code} {error.reason}") from error
            problem = str(getattr(error, "reason", error))
        else:
            if found == sha256.lower():
                return
            partial.unlink()
            raise _RefusedError(f"has SHA-256 {found}, expected {sha256.lower()}")
        logger.warning("%s: %s after %s bytes", address, problem, f"{_size(partial):,}")
        if attempt < len(PAUSES):
            time.sleep(PAUSES[attempt])
    raise _RefusedError(problem)


def _continue(address: str, partial: Path, name: str) -> str:
    """Append to ``partial`` what is missing of it; return the checksum of the whole file.

    Raises:
        OSError: the connection failed or ended early; what has arrived is in ``partial``.
    """
    digest, have = _hashed(partial)
    headers = {"User-Agent": "rungs"} | ({"Range": f"bytes={have}-"} if have else {})
    request = urllib.request.Request(address, headers=headers)  # noqa: S310, the schema checked
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310, as above
    except urllib.error.HTTPError as error:
        if error.code == 416:  # the range begins where the file ends: it was whole already
            return digest.hexdigest()
        raise
    with response:
        if have and getattr(response, "status", None) != 206:  # the server sends it all again
            digest, have = hashlib.sha256(), 0
        rest = response.headers["Content-Length"]
        total = have + int(rest) if rest else None
        with partial.open("ab") as output, transfer(name, total) as advance:
            output.truncate(have)
            advance(have)
            while chunk := response.read(_CHUNK):
                output.write(chunk)
                digest.update(chunk)
                have += len(chunk)
                advance(len(chunk))
    if total is not None and have != total:
        raise OSError(f"ended after {have:,} of {total:,} bytes")
    return digest.hexdigest()


def _hashed(partial: Path) -> tuple["hashlib._Hash", int]:
    """Return the checksum so far, and the bytes it is of."""
    digest, size = hashlib.sha256(), 0
    with suppress(FileNotFoundError), partial.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest, size


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _move(partial: Path, output: Path) -> None:
    """Make the finished file the output; a copy only where it is on another disk."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        partial.replace(output)
        return
    with replacing(output) as temporary:
        shutil.copyfile(partial, temporary)
    partial.unlink()
