"""Published and reproduced on one axis: marks where their numbers are, each with its title."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from rungs.report.claim_axis import LEFT, NAMES, RIGHT, Line, Scale, claim_axis, lines_axis

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def places(drawing: str, kind: str) -> list[float]:
    """Where marks of a kind stand."""
    return [float(x) for x in re.findall(rf'class="{kind}" c?x1?="([^"]+)"', drawing)]


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_every_value_is_in_sight_and_in_order(values: list[float]) -> None:
    scale = Scale(values)
    found = [scale(value) for value in sorted(values)]
    assert found == sorted(found)
    assert found[0] >= LEFT
    assert found[-1] <= RIGHT


def test_marks_stand_where_their_numbers_are() -> None:
    line = Line("reproduced", 4.0, 3.0, 5.0, 0.0, 8.0, (("seed 0", 3.0), ("seed 1", 5.0)))
    drawn = claim_axis(2.0, line)
    scale = Scale((2.0, *line.values))
    assert places(drawn, "mean") == [scale(4.0)]
    assert places(drawn, "published") == [scale(2.0)]
    assert places(drawn, "draw") == [scale(3.0), scale(5.0)]
    assert places(drawn, "one-more") == [scale(0.0)]
    (width,) = re.findall(r'class="one-more".*?width="([^"]+)"', drawn)
    assert float(width) == pytest.approx(scale(8.0) - scale(0.0), abs=0.11)
    # Equal steps are equally far apart.
    assert scale(4.0) - scale(3.0) == pytest.approx(scale(5.0) - scale(4.0), abs=0.11)
    for title in ("published: 2.00", "seed 1: 5.00", "reproduced: the mean within [3.00, 5.00]"):
        assert f"<title>{title}</title>" in drawn


def test_what_is_not_known_is_not_drawn() -> None:
    assert claim_axis(2.0, Line("reproduced", math.nan)) == ""
    alone = claim_axis(math.nan, Line("reproduced", 4.0))
    assert places(alone, "mean") == [(LEFT + RIGHT) / 2]
    for kind in ("published", "one-more", "of-mean", "draw"):
        assert not places(alone, kind)
    hundreds = tuple((f"seed {n}", float(n)) for n in range(200))
    assert not places(claim_axis(1.0, Line("reproduced", 4.0, points=hundreds)), "draw")


def test_lines_stand_below_one_another_beside_one_published_number() -> None:
    lines = [Line("default", 4.0, 3.0, 5.0), Line("batch_32", 2.0)]
    drawn = lines_axis(2.0, lines)
    scale = Scale((2.0, 4.0, 3.0, 5.0), NAMES)
    assert places(drawn, "mean") == [scale(4.0), scale(2.0)]
    assert places(drawn, "published") == [scale(2.0)]
    heights = [float(y) for y in re.findall(r'class="mean" cx="[^"]+" cy="([^"]+)"', drawn)]
    assert heights == sorted(set(heights))
    assert ">batch 32</text>" in drawn


def test_names_are_words() -> None:
    drawn = lines_axis(1.0, [Line("<b>&", 1.0)])
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn
    assert isinstance(drawn, Markup)
