"""A compacted SVG draws what Matplotlib's draws."""

import io
import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from rungs.report.style import styled
from rungs.report.svg import compact

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _drawn() -> str:
    with styled():
        figure = Figure(figsize=(4, 3))
        ax = figure.subplots()
        ax.plot([0.123456, 1.7], [3.14159, -2.5], marker="o", label="d=1.23456 & <x>")
        ax.pcolormesh([[0.1, 0.2], [0.3, 0.4]])
        ax.set_title("a title of 2.34567 points")
        ax.legend()
        stream = io.StringIO()
        words = {"Title": 'x="1.23456"', "Description": "1.23456 to 7.65432", "Date": None}
        figure.savefig(stream, format="svg", metadata=words)
    return stream.getvalue()


def test_elements_styles_and_words_stay_and_coordinates_move_by_less_than_shows() -> None:
    before = list(ElementTree.fromstring(_drawn()).iter())
    after = list(ElementTree.fromstring(compact(_drawn())).iter())
    assert [e.tag for e in after] == [e.tag for e in before]
    for old, new in zip(before, after, strict=True):
        assert (new.text or "").strip() == (old.text or "").strip()
        assert new.keys() == old.keys()
        for name, value in old.items():
            if name not in ("d", "x", "y", "transform"):
                assert new.get(name) == value
                continue
            shortened = new.get(name) or ""
            assert NUMBER.sub("", shortened).split() == NUMBER.sub("", value).split() or name == "d"
            assert re.findall("[A-Za-z]", shortened) == re.findall("[A-Za-z]", value)
            assert [float(n) for n in NUMBER.findall(shortened)] == pytest.approx(
                [float(n) for n in NUMBER.findall(value)], abs=0.0051
            )
            if "scale" in value:
                assert re.findall(r"scale\(.*?\)", shortened) == re.findall(r"scale\(.*?\)", value)


def test_a_fifth_is_gone() -> None:
    assert len(compact(_drawn())) < 0.85 * len(_drawn())


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=8))
def test_a_path_keeps_its_points(points: list[float]) -> None:
    path = "M " + " \nL ".join(f"{x:.6f} {y:.6f}" for x, y in itertools.pairwise(points))
    found = re.search(r'd="(.*?)"', compact(f'<path d="{path} \nz\n"/>'))
    assert found is not None
    assert [float(n) for n in NUMBER.findall(found[1])] == pytest.approx(
        [float(n) for n in NUMBER.findall(path)], abs=0.0051
    )
