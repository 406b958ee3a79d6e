"""Runs Snakemake as a user does, in a folder of its own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.workflow.dry_runs import MESSAGE, dry_run

ROOT = Path(__file__).parents[2]
SNAKEMAKE = Path(sys.executable).with_name("snakemake")


@dataclass
class Workflow:
    """One results folder, with the configuration files it is run with."""

    folder: Path
    configuration: list[Path] = field(default_factory=list)
    repository: Path = ROOT

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Snakemake from the repository into the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files = ["--configfile", *map(str, self.configuration)] if self.configuration else []
        options = ["--cores", "all", "--directory", str(self.folder), *words, *files]
        if "--dry-run" in words:
            result = dry_run(self.repository, *options)
        else:
            result = subprocess.run(
                [str(SNAKEMAKE), *options], cwd=self.repository, env=self.environment(),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        if check:
            assert result.returncode == 0, result.stdout + result.stderr
        return result

    def environment(self) -> dict[str, str]:
        """Return the variables that Snakemake and its jobs see: the repository's own package."""
        package = str(self.repository / "src")
        return {**os.environ, "COLUMNS": "200", "PYTHONPATH": package, "SOURCE_DATE_EPOCH": "0"}

    def plan(self, *targets: str) -> set[str]:
        """Return the messages of the jobs that a dry run schedules, `all` left out."""
        return set(MESSAGE.findall(self.run("--dry-run", *targets).stdout))

    def counts(self, *targets: str) -> dict[str, int]:
        """Return how many jobs of each rule a dry run schedules, `all` left out."""
        output = self.run("--dry-run", *targets).stdout
        table = re.findall(r"^([a-z_]+) +(\d+)$", output, re.MULTILINE)
        return {rule: int(count) for rule, count in table if rule not in ("all", "total")}
