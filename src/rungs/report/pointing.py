"""What a figure says when it is pointed at, and which parts of it belong together.

Matplotlib gives an artist of its SVG no title, but an identifier: the words travel in it, and
:func:`titled` turns them into `<title>` elements, which every browser shows without a script.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from urllib.parse import quote, unquote

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from rungs.tables.numbers import as_published, estimate, rounded

SAYS, CURVE = "says:", "curve:"  # Percent-encoded after it: an identifier of any words.
REACH = 14
"""Points, the diameter around a mark that answers for it."""
_GROUP = re.compile(rf'<g id="(?:{CURVE}([^";]*);)?(?:{SAYS}([^"]*))?">')
_DRAWN = re.compile(r"<defs>.*?</defs>|<(?:path|use)\b[^>]*/>|</g>", re.DOTALL)


def says(artist: Artist, words: Sequence[str]) -> None:
    """Let an artist's marks say words when they are pointed at, in the order they are drawn in."""
    artist.set_gid(SAYS + quote(json.dumps(list(words))))


def says_at(ax: Axes, x: Iterable[float], y: Iterable[float], words: Iterable[str]) -> None:
    """Let the surroundings of points say words when they are pointed at.

    Args:
        ax: the axes, whose limits must not depend on these points alone.
        x: of each point; one that is no number is not there, nor are its words.
        y: of each point.
        words: of each point.
    """
    points = [(a, b, said) for a, b, said in zip(x, y, words, strict=True) if a == a and b == b]
    if not points:
        return
    across, up, said = zip(*points, strict=True)
    marks = ax.scatter(
        across, up, REACH**2, color="black", alpha=0, linewidth=0, clip_on=False, zorder=10
    )
    marks.set_in_layout(False)
    says(marks, said)


@contextmanager
def curve(ax: Axes, name: str) -> Iterator[None]:
    """Make what is drawn inside parts of one curve, which the page can hide."""
    before = ax.get_children()
    yield
    for artist in ax.get_children():
        if artist not in before:
            belongs(artist, name)


def belongs(artist: Artist, name: str) -> None:
    """Make an artist a part of a curve."""
    artist.set_gid(f"{CURVE}{quote(name)};{artist.get_gid() or ''}")


def value_words(table: pd.DataFrame, name: str, metric: str, unit: str = "") -> list[str]:
    """Return what each row's point says: whose it is, its value, interval and published value.

    Args:
        table: with the metric's columns, and ``seeds`` where it was repeated.
        name: the column that names a row.
        metric: the column of values.
        unit: of the metric, written after a value.
    """
    words = []
    for row in table.to_dict("records"):
        mean, low, high, published = (
            row.get(metric + end, math.nan) for end in ("", "_low", "_high", "_published")
        )
        ours = estimate(mean, low, high, row["seeds"]) if "seeds" in row else _plain(mean)
        claimed = "" if pd.isna(published) else f"published {as_published(published)}"
        lines = (str(row[name]), f"{ours} {unit}".strip() if ours else "", claimed)
        words.append("\n".join(filter(None, lines)))
    return words


def _plain(value: float) -> str:
    return "" if pd.isna(value) else rounded(value)


def titled(svg: str) -> str:
    """Return an SVG whose identifiers of :func:`says` and :func:`belongs` are what they mean."""
    parts, end = [], 0
    for group in _GROUP.finditer(svg):
        parts.append(svg[end : group.start()])
        end = group.end()
        name, words = group.groups()
        part = "" if name is None else f' data-curve="{escape(unquote(name))}"'
        parts.append(f"<g{part}>" if words is None else f'<g class="says"{part}>')
        for said in json.loads(unquote(words or "[]")):
            start, end = end, _next_drawn(svg, end)
            mark = svg[start:end].removesuffix("/>")
            tag = "use" if mark.rfind("<use") > mark.rfind("<path") else "path"
            parts.append(f"{mark}><title>{escape(said, quote=False)}</title></{tag}>")
    return "".join([*parts, svg[end:]])


def _next_drawn(svg: str, start: int) -> int:
    """Return where the next element ends that draws something, after definitions."""
    for found in _DRAWN.finditer(svg, start):
        if found[0].startswith(("<path", "<use")):
            return found.end()
    raise ValueError("fewer marks are drawn than say something")
