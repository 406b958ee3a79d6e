"""Stage ``bundle``: tables, figures, report, configuration and provenance in one zip."""

import argparse
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from rungs.bundle.crate import FORMATS, METADATA, describe
from rungs.config import parse_json_config
from rungs.errors import UserError
from rungs.files import replacing
from rungs.reading import reading

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date of a zip: a file's own would make equal contents differ."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the stage's arguments."""
    parser.add_argument("--results", type=Path, required=True, help="the folder of results")
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="files below it")
    parser.add_argument("--configuration", required=True, help="the whole configuration as JSON")
    parser.add_argument("--output", type=Path, required=True, help="the bundle, .zip")


def run(arguments: argparse.Namespace) -> str:
    """Write the bundle; equal contents give equal bytes.

    Raises:
        UserError: a file is missing, not a result, or the bundle cannot be written.
    """
    files = {
        path.relative_to(arguments.results).as_posix(): _read(path)
        for path in arguments.files
        if _belongs(path, arguments.results)
    }
    if "provenance.json" not in files:
        raise UserError("--files: provenance.json is missing; the report writes it")
    config = parse_json_config(arguments.configuration, "--configuration")
    files["configuration.json"] = _json(config.model_dump(mode="json"))
    with reading(arguments.results / "provenance.json"):
        files[METADATA] = _json(describe(files, json.loads(files["provenance.json"])))
    with replacing(arguments.output) as temporary:
        write_zip(temporary, files)
    size = arguments.output.stat().st_size / 1e6
    return f"{arguments.output}: {len(files)} files, {size:.1f} MB"


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
