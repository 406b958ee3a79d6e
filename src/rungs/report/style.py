"""One look for every figure: palette, typography, and files whose bytes repeat."""

import html
import io
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from rungs.files import replacing, write_text
from rungs.report.pointing import titled
from rungs.report.svg import compact

if TYPE_CHECKING:
    from matplotlib.typing import ColorType, RcKeyType

# Parameters that several drawings have.
ExperimentTable = Annotated[Path, "an experiment's table"]
Title = Annotated[str, "the experiment's"]
Labels = Annotated[dict[str, str], "JSON: what to call each variant"]
Svg = Annotated[Path, "the figure as SVG"]
Png = Annotated[Path, "the figure as PNG"]

# Okabe and Ito, "Color Universal Design" (2008): told apart by every common colour vision. Their
# yellow is left out, being too pale for a line on white.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK = PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#222222",
)
MUTED = "#5F6670"
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", BLUE])
"""From nothing to all, of what is shared out."""
RULE = "#D9DDE2"

FONT = "DejaVu Sans"
FALLBACKS = (
    *("Noto Sans CJK KR", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans KR", "Noto Sans JP"),
    *("NanumGothic", "Source Han Sans", "WenQuanYi Zen Hei", "Malgun Gothic", "Arial Unicode MS"),
)
"""For letters that the font lacks, as far as they are installed."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)))

WIDTH = 7.6
"""Inches. The page shows a figure at most 760 pixels wide, where 10 points are 14 pixels."""

SETTINGS: "dict[RcKeyType, Any]" = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.08,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.facecolor": "white",
    "font.family": FONT,
    "font.size": 9.5,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "savefig.dpi": 200,
    # Glyphs as outlines: the page looks the same on a machine without the font. The salt makes
    # the identifiers inside the file, hence its bytes, repeat.
    "svg.fonttype": "path",
    "svg.hashsalt": "rungs",
    # Labels come from the configuration, where a dollar sign is a dollar sign.
    "text.parse_math": False,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelsize": 9,
    "xtick.minor.visible": False,
    "ytick.color": MUTED,
    "ytick.labelsize": 9,
    "ytick.minor.visible": False,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw with the project's settings alone, whatever the machine's matplotlibrc says."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        installed = set(fontManager.get_font_names())
        mpl.rcParams["font.family"] = [FONT, *(f for f in FALLBACKS if f in installed)]
        yield


def save(figure: Figure, svg: Path, png: Path, title: str, description: str) -> None:
    """Write the figure as SVG and PNG, each carrying its title and its description in words.

    No date and no program version go into the files, so that equal data give equal bytes.

    Args:
        figure: the finished figure.
        svg: the first file.
        png: the second.
        title: what the figure shows.
        description: the figure's numbers in words; the page uses it as alternative text.

    Raises:
        UserError: a file cannot be written.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _write(figure, svg, png, title, description)
    missing = set()
    for warning in caught:
        if found := re.match(r"Glyph (\d+) .*missing from font", str(warning.message)):
            missing.add(chr(int(found[1])))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    if missing:
        logging.getLogger(__name__).warning(
            "%s: no known font has %s, which are boxes; install one (fonts-noto-cjk) and delete "
            "%s/fontlist*.json",
            svg, "".join(sorted(missing)), mpl.get_cachedir(),
        )  # fmt: skip


def _write(figure: Figure, svg: Path, png: Path, title: str, description: str) -> None:
    # The layout of the first drawing measures axes that it then resizes; the second one is final.
    figure.draw_without_rendering()
    drawing = io.StringIO()
    metadata = {"Title": title, "Description": description, "Date": None, "Creator": None}
    figure.savefig(drawing, format="svg", metadata=metadata)
    write_text(svg, compact(titled(drawing.getvalue())))
    with replacing(png) as temporary:
        words = {"Title": title, "Description": description, "Software": None}
        figure.savefig(temporary, format="png", metadata=words)


def description(svg: str) -> str:
    """Return the description that :func:`save` put into an SVG, or an empty string."""
    found = re.search(r"<dc:description>(.*?)</dc:description>", svg, re.DOTALL)
    return html.unescape(found[1]) if found else ""


def line_style(index: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the line numbered ``index``; the first 21 differ."""
    color, marker = PALETTE[index % len(PALETTE)], MARKERS[index % len(MARKERS)]
    dashes = DASHES[index // len(PALETTE) % len(DASHES)]
    return {"color": color, "marker": marker, "linestyle": dashes}


def text_on(color: "ColorType") -> str:
    """Return the ink that reads on a colour: white on dark, black on light (WCAG luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if luminance < 0.18 else INK


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Move positions apart until neighbours are ``gap`` apart, as little as possible.

    The least-squares solution, by isotonic regression.

    Args:
        wanted: positions, in any order.
        gap: the smallest distance between two results.

    Returns:
        New positions, in the order of ``wanted``; equal positions keep the order they came in.
    """
    # A third of a figure's start, and most figures never need it.
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    # Subtracting rank times gap turns "at least a gap apart" into "not decreasing".
    placed = np.empty(len(wanted))
    placed[order] = isotonic_regression(np.asarray(wanted)[order] - steps).x + steps
    return placed.tolist()
