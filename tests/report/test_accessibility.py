"""The page as axe-core judges it, light and dark, in a browser."""

import html
import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from rungs.config import Config
from tests.report import results_folder as hand
from tests.report.test_page import ROOT, _write, config

AXE = "axe-core-4.14.1"
CACHE = ROOT / ".cache"
SCHEMES = {"dark": 0, "light": 1}
__all__ = ["config"]  # a fixture


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from the npm registry the first time."""
    archive = CACHE / f"{AXE}.tgz"
    if not archive.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is fetched by npm, and there is no npm on PATH")
        CACHE.mkdir(exist_ok=True)
        name = "@".join(AXE.rsplit("-", 1))
        fetched = subprocess.run(
            [npm, "pack", name, "--pack-destination", str(CACHE)],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        if fetched.returncode:
            pytest.skip(f"npm pack {name}: {fetched.stderr.strip().splitlines()[-1]}")
    with tarfile.open(archive) as packed:
        script = packed.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def violations(page: Path, axe: str, chromium: str, scheme: str) -> list[dict[str, Any]]:
    """Return what axe finds in a copy of the page with everything unfolded."""
    source = page.read_text("utf-8")
    source = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", source)
    source = source.replace("<details>", "<details open>")
    run = (
        "axe.run().then(found => { document.title = 'judged';"
        "const words = JSON.stringify(found.violations.map(v => ({id: v.id, impact: v.impact,"
        " help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html)})));"
        "const pre = document.createElement('pre'); pre.id = 'axe-says';"
        "pre.textContent = 'AXE' + words + 'EXA' + getComputedStyle(document.body)"
        ".backgroundColor; document.body.append(pre); });"
    )
    copy = page.with_name(f"{scheme}.html")
    copy.write_text(
        source.replace("</body>", f"<script>{axe}</script><script>{run}</script></body>")
    )
    dumped = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
            f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=60000",
            f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--window-size=1280,1000",
            copy.as_uri(),
        ],
        capture_output=True, text=True, check=True, timeout=600,
    ).stdout  # fmt: skip
    # The script itself holds the first AXE; what it wrote, the last.
    said = html.unescape(dumped.rsplit("AXE", 1)[1].split("</pre>")[0])
    found, background = said.split("EXA")
    dark = sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 384
    assert dark == (scheme == "dark"), "the browser shows the other colours"
    return list(json.loads(found))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_serious_violation(
    tmp_path: Path, config: Config, axe: str, chromium: str, scheme: str
) -> None:
    results = tmp_path / "results"
    hand.write_everything(results)
    # A warning, hours, and something that has not been run: each has a look of its own.
    hand.write_run(results, "one_block", 0, code="beef", seconds=60, core_seconds=60)
    (results / "positions.csv").unlink()
    _write(results, config)
    found = violations(results / "report.html", axe, chromium, scheme)
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    assert not grave, json.dumps(grave, indent=2)


def test_axe_finds_what_is_wrong(tmp_path: Path, axe: str, chromium: str) -> None:
    """A test that cannot fail would be worthless: a bad page is called bad."""
    page = tmp_path / "report.html"
    page.write_text(
        '<html><head><title>x</title></head><body style="background:#fff">'
        '<img src="data:,"><p style="color:#eee">pale</p></body></html>'
    )
    found = {v["id"] for v in violations(page, axe, chromium, "light")}
    assert {"image-alt", "color-contrast", "html-has-lang"} <= found
