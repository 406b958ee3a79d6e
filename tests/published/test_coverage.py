"""Every number that the chapters print is a claim, shown beside ours, a setting, or set aside."""

import re
from collections.abc import Iterator
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml

from rungs.published.load import CONFIG, sections

ROOT = Path(__file__).parents[2]
CHAPTERS = {"attention": "attention-chapter.ko.txt", "GPT": "gpt-chapter.ko.txt"}
UNJUDGED = yaml.safe_load((ROOT / "docs/unjudged.yaml").read_text())
SETTINGS = yaml.safe_load((ROOT / "src/rungs/published" / CONFIG).read_text())

NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?")
"""Not what belongs to a name, as in GPT-2's x4 or float32."""


IN_WORDS = {
    "ladder-average-four-times-worse",
    "masking-weight",
    "saturation-one-effective-token",
    "saturation-frozen-1024",
    "saturation-none-frozen",
    "score-scale-entropy",
    "normalization-eight-times-worse",
    "parameters-two-thirds-gpt2",
    "parameters-two-thirds-one-block",
    "parameters-two-thirds-two-blocks",
    "referents-block-1-identical",
    "gpt-leak-loops",
}
"""Claims whose number the text says without a digit: seven of ten, eight times, identical."""


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def claimed(chapter: str) -> Iterator[tuple[int, float]]:
    """Yield each line and number that a claim says or that is shown; a share also in percent."""
    for section in sections():
        if section.chapter != chapter:
            continue
        for claim in section.claims:
            said = numbers(f"{claim.statement} {claim.published or ''}")
            yield from ((line, number) for line in claim.lines for number in said)
            if claim.number is not None:
                yield from ((line, float(claim.number * 100)) for line in claim.lines)
        for shown in section.shown:
            yield from ((line, shown.published) for line in shown.lines)


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    path = ROOT.parent / "shared/seeds" / CHAPTERS[request.param]
    if not path.exists():
        pytest.skip("the chapters' texts are not here: the project ships none of them")
    return request.param, path.read_text("utf-8").splitlines()


@pytest.mark.real_data
def test_every_printed_number_is_accounted_for(chapter: tuple[str, list[str]]) -> None:
    name, lines = chapter
    told = set(claimed(name))
    told |= {(n, x) for entry in UNJUDGED[name] for n in entry["lines"] for x in _all(entry)}
    whole = {n for entry in UNJUDGED[name] if "numbers" not in entry for n in entry["lines"]}
    missing = {
        f"{n}: {number:g}"
        for n, line in enumerate(lines, 1)
        for number in numbers(line)
        if (n, number) not in told and n not in whole
    }
    assert not missing


@pytest.mark.real_data
def test_a_claim_stands_on_the_lines_that_print_its_number(chapter: tuple[str, list[str]]) -> None:
    name, lines = chapter
    for section in sections():
        if section.chapter != name:
            continue
        for claim in section.claims:
            assert claim.lines, f"{claim.id} has no line"
            if claim.number is None or claim.derived:
                continue
            printed = {x for n in claim.lines for x in numbers(lines[n - 1])}
            as_digits = bool({float(claim.number), float(claim.number * 100)} & printed)
            assert as_digits == (claim.id not in IN_WORDS), claim.id


@pytest.mark.real_data
def test_nothing_is_set_aside_that_is_not_printed(chapter: tuple[str, list[str]]) -> None:
    name, lines = chapter
    for entry in UNJUDGED[name]:
        printed = {number for n in entry["lines"] for number in numbers(lines[n - 1])}
        assert printed
        assert set(map(float, _all(entry))) <= printed, entry


@pytest.mark.parametrize(
    "entry",
    [entry for entries in UNJUDGED.values() for entry in entries if "setting" in entry],
    ids=lambda entry: entry["setting"],
)
def test_a_setting_has_the_printed_value(entry: dict[str, Any]) -> None:
    found: Any = SETTINGS
    for key in entry["setting"].split("."):
        found = getitem(found, key)
    scale = 1000 if entry.get("because") == "in thousands" else 1
    configured = found if isinstance(found, list) else [found]
    assert [number * scale for number in entry["numbers"]] == configured


def test_a_reason_is_given_for_every_number() -> None:
    for entry in (entry for entries in UNJUDGED.values() for entry in entries):
        assert set(entry) <= {"lines", "numbers", "setting", "because"}
        assert entry.get("because") or entry.get("setting")


def _all(entry: dict[str, Any]) -> list[float]:
    return entry.get("numbers", [])
