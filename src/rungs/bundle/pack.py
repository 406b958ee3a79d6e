"""Stage ``bundle``: tables, figures, report, configuration and provenance in one zip."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from rungs.bundle.crate import FORMATS, METADATA, describe
from rungs.config import parse_json_config
from rungs.errors import UserError
from rungs.files import replacing
from rungs.reading import reading

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date of a zip: a file's own would make equal contents differ."""


def run(
    *,
    results: Annotated[Path, "the folder of results"],
    files: Annotated[Sequence[Path], "files below it"],
    configuration: Annotated[str, "the whole configuration as JSON"],
    output: Annotated[Path, "the bundle, .zip"],
) -> str:
    """Write the bundle; equal contents give equal bytes.

    Raises:
        UserError: a file is missing, not a result, or the bundle cannot be written.
    """
    packed = {
        path.relative_to(results).as_posix(): _read(path)
        for path in files
        if _belongs(path, results)
    }
    if "provenance.json" not in packed:
        raise UserError("--files: provenance.json is missing; the report writes it")
    config = parse_json_config(configuration, "--configuration")
    packed["configuration.json"] = _json(config.model_dump(mode="json"))
    with reading(results / "provenance.json"):
        packed[METADATA] = _json(describe(packed, json.loads(packed["provenance.json"])))
    with replacing(output) as temporary:
        write_zip(temporary, packed)
    size = output.stat().st_size / 1e6
    return f"{output}: {len(packed)} files, {size:.1f} MB"


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a zip whose bytes depend on names and contents alone."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content, compresslevel=9)


def _belongs(path: Path, results: Path) -> bool:
    if path.suffix not in FORMATS or not path.is_relative_to(results):
        raise UserError(
            f"{path}: is no table, figure, report or description below {results}; leave it out"
        )
    return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
