"""Published and reproduced on one axis: a drawing within the page, without a library."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from rungs.tables.numbers import interval, rounded

WIDTH, LEFT, RIGHT = 480, 12, 468
"""In the units of the drawing, whose text is 12 high."""
NAMES = 132
"""Where the axis begins beside names."""
ROW = 24
MOST_POINTS = 40
"""Single draws that are drawn; hundreds would be a smear, and their interval says more."""


@dataclass(frozen=True)
class Line:
    """One number with its intervals, NaN where there is none.

    Attributes:
        name: in words, for pointing at a mark.
        mean: over the draws; the only number of what has no draws.
        low: of the mean's interval, as `high`.
        one_more_low: of the interval for one more draw, as `one_more_high`.
        points: the single draws by name, such as ``seed 0``.
    """

    name: str
    mean: float
    low: float = math.nan
    high: float = math.nan
    one_more_low: float = math.nan
    one_more_high: float = math.nan
    points: tuple[tuple[str, float], ...] = ()

    @property
    def values(self) -> Iterable[float]:
        """Every number that has to be in sight."""
        ends = (self.mean, self.low, self.high, self.one_more_low, self.one_more_high)
        return (*ends, *(value for _, value in self.points))


class Scale:
    """Where values are drawn: all of them in sight, with room to both sides."""

    def __init__(self, values: Iterable[float], left: int = LEFT) -> None:
        self.left = left
        known = [value for value in values if math.isfinite(value)]
        least, most = min(known), max(known)
        room = 0.06 * (most - least) or abs(most) * 0.05 or 0.5
        self.low, self.high = least - room, most + room

    def __call__(self, value: float) -> float:
        """Return the place of a value, from left to right."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (RIGHT - self.left), 1)


def claim_axis(published: float, line: Line) -> Markup:
    """Return the drawing of a claim's number; nothing where neither number is known."""
    if math.isnan(line.mean):
        return Markup()
    scale = Scale((published, *line.values))
    said = f"published {rounded(published)}, " if math.isfinite(published) else ""
    marks = [_zero(scale, 8, 53), _line(line, scale, 34), _published(published, scale, 8, 44)]
    marks.append(_ends(scale, 66))
    return _drawing(70, f"{said}reproduced {rounded(line.mean)}", marks)


def lines_axis(published: float, lines: Sequence[Line]) -> Markup:
    """Return several numbers below one another, each beside its name, and the published one."""
    scale = Scale((published, *(value for line in lines for value in line.values)), NAMES)
    height = ROW * len(lines)
    marks = [_zero(scale, 2, height), _published(published, scale, 2, height)]
    for number, line in enumerate(lines):
        middle = ROW * number + ROW // 2
        marks.append(_text(LEFT, middle + 4, line.name.replace("_", " "), "name"))
        marks.append(_line(line, scale, middle))
    said = ", ".join(f"{line.name} {rounded(line.mean)}" for line in lines)
    words = f"published {rounded(published)}: {said}"
    return _drawing(height + 24, words, [*marks, _ends(scale, height + 18)])


def _line(line: Line, scale: Scale, y: int) -> Markup:
    """Draw the interval for one more, the mean's, the single draws and the mean, each titled."""
    drawn = Markup()
    for kind, what, low, high, height in (
        ("one-more", "one more draw", line.one_more_low, line.one_more_high, 2),
        ("of-mean", "the mean", line.low, line.high, 7),
    ):
        if math.isfinite(low):
            title = f"{line.name}: {what} within {interval(line.mean, low, high)}"
            drawn += _bar(kind, scale(low), scale(high), y, height, title)
    for name, value in line.points if len(line.points) <= MOST_POINTS else ():
        drawn += _dot("draw", scale(value), y + 10, 3, f"{name}: {rounded(value)}")
    return drawn + _dot("mean", scale(line.mean), y, 4.5, f"{line.name}: {rounded(line.mean)}")


def _dot(kind: str, x: float, y: int, radius: float, title: str) -> Markup:
    return Markup('<circle class="{}" cx="{}" cy="{}" r="{}"><title>{}</title></circle>').format(
        kind, x, y, radius, title
    )


def _bar(kind: str, left: float, right: float, y: int, height: int, title: str) -> Markup:
    return Markup(
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>'
    ).format(kind, left, y - height / 2, round(max(1.0, right - left), 1), height, title)


def _published(value: float, scale: Scale, top: int, bottom: int) -> Markup:
    if not math.isfinite(value):
        return Markup()
    return Markup(
        '<line class="published" x1="{0}" x2="{0}" y1="{1}" y2="{2}"><title>{3}</title></line>'
    ).format(scale(value), top, bottom, f"published: {rounded(value)}")


def _zero(scale: Scale, top: int, bottom: int) -> Markup:
    """Mark none, which a difference is told from, where it is in sight."""
    if not scale.low < 0 < scale.high:
        return Markup()
    return Markup(
        '<line class="zero" x1="{0}" x2="{0}" y1="{1}" y2="{2}"><title>0</title></line>'
    ).format(scale(0), top, bottom)


def _ends(scale: Scale, y: int) -> Markup:
    """Write the least and the greatest number in sight, below the line that they end."""
    line = Markup('<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
        scale.left, RIGHT, y - 13, y - 13
    )
    left, right = (rounded(value) for value in (scale.low, scale.high))
    return line + _text(scale.left, y, left, "end") + _text(RIGHT, y, right, "end last")


def _text(x: int, y: int, words: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, x, y, words)


def _drawing(height: int, words: str, marks: Iterable[Markup]) -> Markup:
    return Markup(
        '<svg class="line" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(WIDTH, height, words, Markup().join(marks))
