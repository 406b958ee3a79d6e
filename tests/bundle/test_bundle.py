"""The zip: the same bytes for the same results, described, and damaged nowhere unnoticed."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from rungs.bundle import pack
from rungs.bundle.crate import METADATA
from rungs.bundle.reading import opened
from rungs.config import read_config
from rungs.errors import UserError
from tests.report import results_folder as hand
from tests.typed import typed

ROOT = Path(__file__).parents[2]
CONFIGURATION = read_config(ROOT / "config.yaml").model_dump_json()
MADE = {"code": "commit 0123456789ab", "date": "2026-11-30 00:53 UTC"}


def results_folder(folder: Path) -> list[Path]:
    """Write results; return the files that belong into a bundle."""
    hand.write_everything(folder)
    (folder / "report.html").write_text("<h1>The report</h1>")
    (folder / "report.md").write_text("# The report\n")
    hand.write_json(folder / "provenance.json", MADE)
    hand.write_run(folder, "one_block", 0)
    (folder / "runs/shakespeare/window_128/one_block/seed0/model.safetensors").write_bytes(b"w")
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and path.suffix in pack.FORMATS
    )


def bundle(results: Path, files: list[Path], output: Path) -> str:
    words = ["--results", results, "--files", *files, "--configuration", CONFIGURATION]
    return typed(pack, [*words, "--output", output])


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    output = tmp_path / "bundle.zip"
    bundle(tmp_path / "results", results_folder(tmp_path / "results"), output)
    return output


def test_equal_results_give_equal_bytes(tmp_path: Path, packed: Path) -> None:
    other = tmp_path / "elsewhere"
    files = results_folder(other)
    for path in files:
        path.touch()
    summary = bundle(other, files[::-1], tmp_path / "other.zip")
    assert (tmp_path / "other.zip").read_bytes() == packed.read_bytes()
    assert summary.startswith(f"{tmp_path / 'other.zip'}: {len(files) + 2} files, ")
    (other / "claims.csv").write_text("another\n")
    bundle(other, files, tmp_path / "other.zip")
    assert (tmp_path / "other.zip").read_bytes() != packed.read_bytes()


def test_crate_describes_every_file(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    metadata = json.loads(contents.pop(METADATA))
    graph = {entity["@id"]: entity for entity in metadata["@graph"]}
    assert len(graph) == len(metadata["@graph"])
    assert metadata["@context"] == "https://w3id.org/ro/crate/1.2/context"
    descriptor = graph[METADATA]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    root = graph[descriptor["about"]["@id"]]
    # What the specification says a root data entity must have.
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert root["description"]
    assert root["datePublished"] == "2026-11-30T00:53Z"
    assert graph[root["license"]["@id"]]["name"] == "MIT License"
    files = {entity["@id"]: entity for entity in graph.values() if entity["@type"] == "File"}
    assert {part["@id"] for part in root["hasPart"]} == set(files) == set(contents)
    for name, content in contents.items():
        assert files[name]["description"]
        assert files[name]["contentSize"] == str(len(content))
        assert files[name]["sha256"] == hashlib.sha256(content).hexdigest()
    # Required of a SoftwareApplication (checks 32.2 and 32.3 of the profile): url and version.
    for entity in graph.values():
        assert entity["@type"] != "SoftwareApplication" or {"url", "version"} <= entity.keys()
    assert graph[graph["#reproduction"]["instrument"]["@id"]]["version"] == MADE["code"]
    assert files["ladder.csv"]["description"] == "The table ladder"
    assert files["claims.csv"]["encodingFormat"] == "text/csv"
    assert not [name for name in contents if name.endswith((".safetensors", ".npy", ".txt"))]
    assert json.loads(contents["configuration.json"]) == json.loads(CONFIGURATION)

    def references(value: object) -> list[str]:
        if isinstance(value, list):
            return [found for item in value for found in references(item)]
        return [value["@id"]] if isinstance(value, dict) and set(value) == {"@id"} else []

    for entity in graph.values():
        for value in entity.values():
            for reference in references(value):
                assert reference in graph or reference.startswith("https://w3id.org/ro/crate/")


def test_a_bundle_opens_as_the_folder_it_was(tmp_path: Path, packed: Path) -> None:
    with opened(packed) as folder:
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            if path.is_file() and name != Path("configuration.json"):
                assert path.read_bytes() == (tmp_path / "results" / name).read_bytes()
    assert not folder.exists()
    with opened(tmp_path / "results") as folder:
        assert folder == tmp_path / "results"


def repack(packed: Path, changes: dict[str, bytes | None]) -> None:
    """Write the bundle again with files changed, added or (None) left out."""
    with zipfile.ZipFile(packed) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    for name, content in changes.items():
        if content is None:
            del contents[name]
        else:
            contents[name] = content
    pack.write_zip(packed, contents)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ladder.csv": b"variant\n"}, r"ladder\.csv is damaged \(checksum\)"),
        ({"ladder.csv": None}, r"ladder\.csv is missing"),
        ({"extra.csv": b""}, r"extra\.csv is not described"),
        ({METADATA: None}, r"has no ro-crate-metadata\.json"),
        ({METADATA: b"{}"}, r"ro-crate-metadata\.json is damaged"),
        ({METADATA: b"[]"}, r"ro-crate-metadata\.json is damaged"),
        ({METADATA: b"\xff"}, r"ro-crate-metadata\.json is damaged"),
        (
            {METADATA: b'{"@graph": [{"@type": "File", "name": "../x.csv", "sha256": ""}]}'},
            r"'\.\./x\.csv' would lie outside",
        ),
    ],
)
def test_what_is_not_as_described_is_named(
    packed: Path, changes: dict[str, bytes | None], message: str
) -> None:
    repack(packed, changes)
    with pytest.raises(UserError, match=message), opened(packed):
        pass


@pytest.fixture
def unpacked(tmp_path: Path, packed: Path) -> Path:
    """A bundle unpacked by somebody, beside files of another kind."""
    folder = tmp_path / "reference"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    hand.write_json(folder / "archive/shakespeare/seed0.json", {})
    (folder / "README.md").write_text("# The reference run\n")
    return folder


def test_an_unpacked_bundle_is_opened_where_it_is(unpacked: Path) -> None:
    with opened(unpacked) as folder:
        assert folder == unpacked


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ladder.csv", b"variant\n", r"reference/ladder\.csv: is damaged \(checksum\); get it"),
        ("ladder.csv", None, r"reference/ladder\.csv: cannot be read \(No such file"),
        (METADATA, b"{", r"reference: ro-crate-metadata\.json is damaged"),
        (
            METADATA,
            b'{"@graph": [{"@type": "File", "name": "../x.csv", "sha256": ""}]}',
            r"'\.\./x\.csv' would lie outside",
        ),
    ],
)
def test_what_is_damaged_in_an_unpacked_bundle_is_named(
    unpacked: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is None:
        (unpacked / name).unlink()
    else:
        (unpacked / name).write_bytes(content)
    with pytest.raises(UserError, match=message), opened(unpacked):
        pass
    (unpacked / METADATA).unlink()  # the way out
    with opened(unpacked) as folder:
        assert folder == unpacked


def test_the_reference_is_as_it_was_published() -> None:
    with opened(ROOT / "reference"):
        pass


def test_a_flipped_byte_is_noticed_wherever_it_is(packed: Path) -> None:
    """In a file's data the file is named; in what only the zip format reads, it does not matter."""
    whole = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        entry = archive.getinfo("ladder.csv")
        contents = {name: archive.read(name) for name in archive.namelist()}
    inside = entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2
    for position in (inside, *range(0, len(whole), len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x55
        packed.write_bytes(damaged)
        refused = ""
        try:
            with opened(packed) as folder:
                for path in folder.rglob("*"):
                    if path.is_file():
                        assert path.read_bytes() == contents[path.relative_to(folder).as_posix()]
        except UserError as error:
            refused = str(error)
        assert position != inside or "ladder.csv is damaged" in refused


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all" * 100])
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"x\.zip: is not a bundle"), opened(path):
        pass
    with pytest.raises(UserError, match="cannot be read"), opened(tmp_path / "absent.zip"):
        pass


def test_only_results_are_packed(tmp_path: Path) -> None:
    results = tmp_path / "results"
    files = results_folder(results)
    weights = next(results.rglob("model.safetensors"))
    outside = hand.write_json(tmp_path / "secret.json", {})
    for stranger in (weights, outside):
        with pytest.raises(UserError, match="leave it out"):
            bundle(results, [*files, stranger], tmp_path / "x.zip")
    with pytest.raises(UserError, match=r"absent\.csv: cannot be read"):
        bundle(results, [*files, results / "absent.csv"], tmp_path / "x.zip")
    files.remove(results / "provenance.json")
    with pytest.raises(UserError, match=r"provenance\.json is missing"):
        bundle(results, files, tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()
