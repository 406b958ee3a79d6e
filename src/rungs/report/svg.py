"""A figure's SVG: without what no screen shows, and as a part of the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

_TAG = re.compile(r"<\w[^>]*>")  # a number of the description stands in none
_COORDINATES = re.compile(r'\b(?:d|x|y)="[^"]*"|translate\([^)]*\)')
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")
_AROUND_COMMAND = re.compile(r"\s*([MLQCz])\s*")
_IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
_NOT_ON_THE_PAGE = (
    re.compile(r"<title>.*?</title>\s*", re.DOTALL),  # the whole figure's would hide its marks'
    re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL),
    re.compile(r"<style\b.*?</style>\s*", re.DOTALL),  # it would hold for the page's other drawings
)
_INDENTATION = re.compile(r">\s+<")


def compact(svg: str) -> str:
    """Return Matplotlib's SVG a fifth smaller: the page holds every figure.

    Coordinates keep two decimals of a point, 1/7200 inch. What the elements are, and their order,
    does not change.

    Args:
        svg: as :meth:`matplotlib.figure.Figure.savefig` writes it, letters as outlines.
    """
    shortened = _TAG.sub(lambda tag: _COORDINATES.sub(_shorten, tag[0]), svg)
    return _INDENTATION.sub(">\n<", shortened)


def read_svg(path: Path) -> str:
    """Return the text of an SVG.

    Raises:
        ValueError: it is none, or only a part of one.
    """
    text = path.read_text("utf-8")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError as error:
        raise ValueError(f"no XML ({error})") from error
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        raise ValueError("no SVG")
    return text


def inlined(svg: str, name: str) -> str:
    """Return an SVG as a part of a page that holds others: its marks answer to being pointed at.

    Args:
        svg: of a file.
        name: no other figure's; identifiers are the same in every SVG and begin with it here.
    """
    drawing = svg[svg.index("<svg") :]
    for hidden in _NOT_ON_THE_PAGE:
        drawing = hidden.sub("", drawing, count=1)
    return _TAG.sub(lambda tag: _IDENTIFIER.sub(rf"\1{name}-", tag[0]), drawing)


def _shorten(found: re.Match[str]) -> str:
    rounded = _DECIMALS.sub(
        lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), found[0]
    )
    return _AROUND_COMMAND.sub(r"\1", rounded) if rounded.startswith("d=") else rounded
