"""A figure's SVG, without what no screen shows."""

import re

_TAG = re.compile(r"<\w[^>]*>")  # a number of the description stands in none
_COORDINATES = re.compile(r'\b(?:d|x|y)="[^"]*"|translate\([^)]*\)')
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")
_AROUND_COMMAND = re.compile(r"\s*([MLQCz])\s*")
_INDENTATION = re.compile(r">\s+<")


def compact(svg: str) -> str:
    """Return Matplotlib's SVG a fifth smaller: the page holds every figure, in base64.

    Coordinates keep two decimals of a point, 1/7200 inch. What the elements are, and their order,
    does not change.

    Args:
        svg: as :meth:`matplotlib.figure.Figure.savefig` writes it, letters as outlines.
    """
    shortened = _TAG.sub(lambda tag: _COORDINATES.sub(_shorten, tag[0]), svg)
    return _INDENTATION.sub(">\n<", shortened)


def _shorten(found: re.Match[str]) -> str:
    rounded = _DECIMALS.sub(
        lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), found[0]
    )
    return _AROUND_COMMAND.sub(r"\1", rounded) if rounded.startswith("d=") else rounded
