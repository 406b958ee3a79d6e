"""The page in a browser: filters and their address, folding, sorting, runs, and without scripts."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rungs.config import Config
from rungs.report.figures import lengths
from tests.report import results_folder as hand
from tests.report.test_page import CHROMIUM, _write, config

__all__ = ["config"]  # a fixture
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")

STATE = """
  const shown = (e) => e.checkVisibility();
  const state = () => ({
    claims: [...document.querySelectorAll("details.claim")].filter(shown).map(c => c.id),
    open: [...document.querySelectorAll("details.claim")].filter(c => c.open).map(c => c.id),
    faded: document.querySelectorAll(".map a.faded").length,
    hash: location.hash, found: document.querySelector("#found").textContent,
    figures: [...document.querySelectorAll("main figure svg")].filter(shown).length,
  });
  const field = (name, value) => {
    const found = document.querySelector(`#filters [name=${name}]`);
    found.value = value;
    found.dispatchEvent(new Event("input", {bubbles: true}));
  };
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, config: Config) -> Path:
    results = tmp_path_factory.mktemp("exploring") / "results"
    hand.write_everything(results)
    for variant, seconds in (("one_block", 102.0), ("two_blocks", 6.6), ("no_context", 977.0)):
        hand.write_run(results, variant, 0, seconds=seconds, core_seconds=seconds)
    (results / "each.csv").write_text(hand.observations(hand.positions()).to_csv(index=False))
    lengths.run(
        table=results / "positions.csv", observations=results / "each.csv", trained_length=64,
        title="Positions", svg=results / "figures/positions.svg",
        png=results / "figures/positions.png",
    )  # fmt: skip
    _write(results, config)
    return results / "report.html"


def explore(written: Path, actions: str, address: str = "") -> list[Any]:
    """Return what the actions push to ``said``, and the errors that scripts met."""
    source = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", written.read_text())
    before = (
        "<script>const errors = [];addEventListener('error', e => errors.push(e.message));</script>"
    )
    after = (
        f"<script>setTimeout(async () => {{ const said = []; {STATE} {actions};"
        "document.title = 'said'; const pre = document.createElement('pre');"
        "pre.textContent = 'SAID' + JSON.stringify([errors, ...said]) + 'DIAS';"
        "document.body.append(pre); }, 300)</script>"
    )
    copy = written.with_name("explored.html")
    copy.write_text(
        source.replace("<head>", f"<head>{before}", 1).replace("</body>", f"{after}</body>")
    )
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    profile = [f"--user-data-dir={written.parent / 'profile'}", "--virtual-time-budget=8000"]
    dumped = subprocess.run(
        [*command, *profile, "--window-size=1280,1000", f"{copy.as_uri()}{address}"],
        capture_output=True, text=True, check=True, timeout=300,
    ).stdout  # fmt: skip
    errors, *said = json.loads(html.unescape(dumped.rsplit("SAID", 1)[1].split("DIAS")[0]))
    assert errors == []
    return said


def test_claims_are_folded_and_a_cell_of_the_map_opens_one(written: Path) -> None:
    before, after = explore(
        written,
        "said.push(state()); document.querySelectorAll('.map a')[2].click();"
        "await new Promise(r => setTimeout(r, 200)); said.push(state());",
    )
    assert before["open"] == []
    assert len(before["claims"]) == 6, "and two that were not tested"
    assert len(after["open"]) == 1
    assert after["hash"] == f"#{after['open'][0]}"


def test_a_filter_leaves_what_it_asks_for_and_is_in_the_address(written: Path) -> None:
    (filtered,) = explore(written, "field('verdict', 'direction only'); said.push(state());")
    assert len(filtered["claims"]) == 2
    assert filtered["found"] == "2 of 8 claims"
    assert filtered["faded"] == 6
    assert filtered["hash"] == "#?verdict=direction+only"
    assert filtered["figures"] == 0
    opened, cleared = explore(
        written,
        "said.push(state()); document.querySelector('#filters').reset();"
        "await new Promise(r => setTimeout(r, 100)); said.push(state());",
        filtered["hash"],
    )
    assert opened["claims"] == filtered["claims"]
    assert len(cleared["claims"]) == 6
    assert cleared["hash"] == ""
    assert cleared["figures"] > 5


def test_filters_are_combined_and_words_are_searched(written: Path) -> None:
    searched, none = explore(
        written,
        "field('q', '38.07 BLOCK'); said.push(state());field('kind', 'check'); said.push(state());",
    )
    assert len(searched["claims"]) == 1
    assert none["claims"] == []
    assert none["hash"] == "#?q=38.07+BLOCK&kind=check"


def test_a_run_leads_to_the_claims_that_rest_on_it(written: Path) -> None:
    (before, after) = explore(
        written,
        "const link = document.querySelector('tbody a[href*=rests]');"
        "said.push(Number(link.textContent));"
        "link.click(); await new Promise(r => setTimeout(r, 200)); said.push(state());",
    )
    assert before == len(after["claims"]) > 0


def test_a_table_sorts_by_number_and_back(written: Path) -> None:
    orders = explore(
        written,
        "const table = document.querySelector('#ladder').closest('section').querySelector('table');"
        "const column = [...table.querySelectorAll('thead tr:last-child th')].findIndex("
        "  h => h.textContent.includes('reproduced'));"
        "const head = table.querySelectorAll('thead tr:last-child th')[column];"
        "const read = () => said.push([head.getAttribute('aria-sort'),"
        "  [...table.tBodies[0].rows].map(r => Number.parseFloat(r.cells[column].textContent))]);"
        "read(); for (let i = 0; i < 3; i++) { head.querySelector('button').click(); read(); }",
    )
    (_, as_written), (up, rising), (down, falling), (none, again) = orders
    assert (up, down, none) == ("ascending", "descending", None)
    assert rising == sorted(as_written)
    assert falling == rising[::-1]
    assert again == as_written != rising


def test_times_sort_by_their_seconds(written: Path) -> None:
    (times,) = explore(
        written,
        "const table = document.querySelector('#all-runs + * table');"
        "const heads = [...table.querySelectorAll('thead th')];"
        "const column = heads.findIndex(h => h.textContent.includes('core time'));"
        "heads[column].querySelector('button').click();"
        "said.push([...table.tBodies[0].rows].map(r => r.cells[column].textContent));",
    )
    assert times == ["6.6 s", "1 min 42 s", "16 min 17 s"]


def test_a_link_to_a_section_that_a_filter_hides_shows_it(written: Path) -> None:
    hidden, after = explore(
        written,
        "const ladder = document.querySelector('#positions').closest('section');"
        "field('q', '38.07'); said.push(shown(ladder));"
        "document.querySelector('nav.side a[href=\"#positions\"]').click();"
        "await new Promise(r => setTimeout(r, 200)); said.push([shown(ladder), state()]);",
    )
    assert not hidden
    shown, state = after
    assert shown
    assert state["hash"] == "#positions"
    assert state["found"] == ""


def test_a_mark_says_what_it_is_where_it_is_drawn(written: Path) -> None:
    (said,) = explore(
        written,
        "const spread = document.querySelector('#positions').closest('section');"
        "const marks = spread.querySelectorAll('.says use');"
        "said.push([...marks].map(mark => {"
        "  mark.scrollIntoView({ block: 'center', behavior: 'instant' });"
        "  const box = mark.getBoundingClientRect();"
        "  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
        "  return hit?.querySelector('title')?.textContent ?? ''; }));",
    )
    assert len(said) == 15
    # What is drawn on another mark answers for both; every line answers somewhere.
    assert all("tokens" in words for words in said), said
    for _, label in hand.POSITIONS:
        assert any(words.startswith(f"{label}, ") for words in said), said


def test_curves_are_switched_off_and_on(written: Path) -> None:
    before, off, on = explore(
        written,
        "const spread = document.querySelector('#positions').closest('section');"
        "const button = [...spread.querySelectorAll('.curves button')]"
        "  .find(b => b.textContent === 'rotary');"
        "const count = () => [...spread.querySelectorAll('[data-curve]')]"
        "  .filter(part => getComputedStyle(part).display !== 'none').map(p => p.dataset.curve);"
        "said.push([count(), button.ariaPressed]); button.click();"
        "said.push([count(), button.ariaPressed]); button.click();"
        "said.push([count(), button.ariaPressed]);",
    )
    assert before == on
    assert before[1] == "true"
    assert off[1] == "false"
    assert set(before[0]) - set(off[0]) == {"rotary"}


def test_without_scripts_everything_is_unfolded(written: Path) -> None:
    source = written.read_text()
    folded = re.findall(r'<details class="claim"[^>]*>', source)
    assert len(folded) == 8
    assert all(" open " in tag for tag in folded)
    assert "#filters { display: none; }" in source


def test_it_prints_to_a_few_pages(written: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.pdf"
    subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
         f"--print-to-pdf={target}", f"--user-data-dir={tmp_path / 'profile'}", written.as_uri()],
        capture_output=True, check=True, timeout=300,
    )  # fmt: skip
    pages = len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))
    assert 2 <= pages <= 20
