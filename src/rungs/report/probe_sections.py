"""The sections of the page on what is measured without training."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from rungs.config import Config
from rungs.report.catalogue import figures_in
from rungs.report.probe_views import (
    averaging_view,
    equivalence_view,
    gradient_norms_view,
    masking_view,
    saturation_view,
    variance_view,
)
from rungs.report.section import Section
from rungs.report.table_view import TableView
from rungs.tables.numbers import counted
from rungs.tables.reading import read_shown

View = Callable[[pd.DataFrame, str], TableView]

COLUMNS = {
    "averaging": ("measure", "precision", "seeds", "difference", "rounding"),
    "averaging_matrix": ("position", "token", "weight"),
    "masking": ("stand_in", "in_float16", "weight_at_initialisation", "weight_after_collapse"),
    "variance": ("width", "seeds", "variance", "standard_deviation", "expected_standard_deviation"),
    "saturation": (
        "width",
        "divided",
        "seeds",
        "entropy",
        "effective_tokens",
        "jacobian",
        "frozen",
    ),
    "equivalence": ("first", "second", "precision", "seeds", "difference", "rounding", "magnitude"),
    "gradient_norms": ("variant", "block", "seeds", "whole_block", "output_projection"),
}


def probe_sections(config: Config, results: Path) -> list[Section]:
    """Return the sections in the chapter's order.

    Raises:
        UserError: a table that exists cannot be read.
    """
    return [_averaging(config, results), _scores(config, results), _gradients(config, results)]


def equivalence_section(results: Path) -> Section:
    """Return the section on our attention beside torch's.

    Raises:
        UserError: the table exists and cannot be read.
    """
    section = Section("ours-and-torchs", "Ours and torch's", ["equivalence"])
    section.lead = [
        "Attention written out as a formula, the layer our models use, and torch's two "
        "implementations, all with the same weights: 4 sequences of 16 tokens, 4 heads, width 128. "
        "The chapter does not describe its input, on which the sizes depend."
    ]
    _show(section, results, "equivalence", "This comparison", equivalence_view)
    return section


def _averaging(config: Config, results: Path) -> Section:
    section = Section(
        "the-average", "The average, three times", ["averaging", "averaging_matrix", "masking"]
    )
    section.lead = [
        "A running mean, a product with a triangular matrix and a softmax of masked zeros are one "
        "function, and it sees no order. Neither does attention without a mask. Rounding explains "
        "a difference that is no larger than what float32 does to the two computations, each "
        "beside its own value in float64; 6 random tokens of width 128."
    ]
    section.figures = figures_in(config, section.anchor)
    _show(section, results, "averaging", "This comparison", averaging_view)
    _show(section, results, "masking", "The comparison of masks", masking_view)
    return section


def _scores(config: Config, results: Path) -> Section:
    probes = config.probes
    section = Section(
        "why-scores-are-divided", "Why scores are divided by \N{SQUARE ROOT}d",
        ["variance", "saturation"],
    )  # fmt: skip
    section.lead = [
        f"Queries and keys of independent normal numbers: {counted(probes.pairs, 'pair')} behind "
        f"each variance, and {counted(probes.rows, 'row')} of 64 scores behind each number on the "
        "softmax. A row is frozen when one token has more than 0.99 of its weight."
    ]
    section.figures = figures_in(config, section.anchor)
    _show(section, results, "variance", "The variance of dot products", variance_view)
    _show(section, results, "saturation", "The sharpness of the softmax", saturation_view)
    return section


def _gradients(config: Config, results: Path) -> Section:
    settings = config.probes.gradient_norms
    section = Section("gradient-norms", "Gradients at initialisation", ["gradient_norms"])
    section.lead = [
        f"Models at their initialisation and one batch of "
        f"{config.corpora[settings.corpus].title}, {counted(settings.batch_size, 'window')} of "
        f"{counted(settings.context_length, 'token')} spread evenly over the training split. The "
        "chapter's gradient norm per block is read as the norm over all parameters of a block. "
        "Beside it, unjudged, the norm of W_o alone, the output projection of its attention."
    ]
    section.figures = figures_in(config, section.anchor)
    labels = {variant: config.label(variant) for variant in settings.variants}
    _show(
        section, results, "gradient_norms", "This measurement",
        lambda table, target: gradient_norms_view(table, labels, target),
    )  # fmt: skip
    return section


def _show(section: Section, results: Path, probe: str, what: str, view: View) -> None:
    """Add the probe's table to the section, or say that it is missing."""
    target, columns = f"{probe}.csv", COLUMNS[probe]
    if (results / target).is_file():
        section.tables.append(view(read_shown(results / target, _with_ends(columns)), target))
    else:
        section.missing.append((what, target))


def _with_ends(columns: Sequence[str]) -> list[str]:
    """Add the ends of the interval of every metric, which come after the column ``seeds``."""
    if "seeds" not in columns:
        return list(columns)
    metrics = columns[columns.index("seeds") + 1 :]
    ends = [metric + end for metric in metrics for end in ("_low", "_high")]
    exact = {"expected_standard_deviation_low", "expected_standard_deviation_high"}
    return [*columns, *(end for end in ends if end not in exact)]
