"""The description of a bundle, as RO-Crate 1.2 has it (https://w3id.org/ro/crate/1.2)."""

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

METADATA = "ro-crate-metadata.json"
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
}
DESCRIPTIONS = {
    "claims.csv": "Every published claim with ours, a verdict and the reason for it",
    "configuration.json": "The whole configuration that the results were made with",
    "observations.csv": "Every trained number, one row a run, context length and metric",
    "provenance.json": "Code, versions, hardware, time taken and date of the report",
    "report.html": "The report: figures, tables and claims on one page",
    "report.md": "The report in GitHub-flavoured Markdown",
    "seed_noise.csv": "Published differences against the spread between seeds",
}


def describe(files: Mapping[str, bytes], made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the crate's metadata.

    Args:
        files: every file of the bundle but the metadata, by its path there.
        made: what ``provenance.json`` says; its ``code`` and ``date`` are used.
    """
    described = [_file(name, content) for name, content in sorted(files.items())]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": "Two chapters on the transformer, reproduced",
        "description": (
            "Tables, figures, verdicts on every published claim, configuration and provenance of "
            "one run of the rungs workflow; without weights and corpora."
        ),
        "datePublished": str(made["date"]).removesuffix(" UTC").replace(" ", "T") + "Z",
        "license": {"@id": LICENSE["@id"]},
        "hasPart": [{"@id": entity["@id"]} for entity in described],
        "mentions": {"@id": "#reproduction"},
    }
    action = {
        "@id": "#reproduction",
        "@type": "CreateAction",
        "name": "Ran the rungs workflow",
        "instrument": {"@id": "#rungs"},
        "result": root["hasPart"],
    }
    software = {
        "@id": "#rungs",
        # A SoftwareApplication must have an address, and this code has none.
        "@type": "SoftwareSourceCode",
        "name": "rungs",
        "description": "The Snakemake workflow, and the Python package that its rules run",
        "version": str(made["code"]),
        "programmingLanguage": "Python",
    }
    return {
        "@context": "https://w3id.org/ro/crate/1.2/context",
        "@graph": [DESCRIPTOR, root, *described, action, software, LICENSE],
    }


def checksums(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of every file that the metadata describes, by its path.

    Raises:
        LookupError, TypeError: it is no such metadata.
    """
    return {
        entity["name"]: entity["sha256"]
        for entity in metadata["@graph"]
        if entity["@type"] == "File"
    }


DESCRIPTOR = {
    "@id": METADATA,
    "@type": "CreativeWork",
    "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
    "about": {"@id": "./"},
}
LICENSE = {
    "@id": "https://spdx.org/licenses/MIT",
    "@type": "CreativeWork",
    "name": "MIT License",
    "description": "The licence of the code that wrote these files.",
}


def _file(name: str, content: bytes) -> dict[str, Any]:
    return {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": _description(PurePosixPath(name)),
        "encodingFormat": FORMATS[PurePosixPath(name).suffix],
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _description(path: PurePosixPath) -> str:
    """Return what a file is, by its name or else by its folder and kind."""
    words = path.stem.replace("_", " ")
    if str(path) in DESCRIPTIONS:
        return DESCRIPTIONS[str(path)]
    if path.suffix == ".svg":
        return f"The figure {words}, with its numbers in words"
    if path.suffix == ".csv":
        return f"The table {words}"
    return f"The {words} of {path.parent}, as JSON"
