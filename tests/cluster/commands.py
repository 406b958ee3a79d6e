"""Stand-ins for SLURM's commands: scripts that answer as real ones were seen to."""

from pathlib import Path

import pytest

NO_ACCOUNTING = "echo 'Slurm accounting storage is disabled' >&2; exit 1"


def on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, **bodies: str) -> None:
    """Make the folder the whole PATH, with one script for each command."""
    for name, body in bodies.items():
        script = folder / name
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
