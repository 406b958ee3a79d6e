"""Every figure, declared once.

The rules that draw, the command line, the targets, the captions of the page and of Snakemake's own
report follow from here. Read while the graph of jobs is built, hence without torch and pandas; no
drawing reads it, so that an edit of a caption draws nothing again.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rungs.probes.catalogue import PROBES
from rungs.report.experiment_figures import EXPERIMENT_FIGURES
from rungs.report.figure import Figure
from rungs.tables.intervals import level

if TYPE_CHECKING:
    from rungs.config import Config

SEED_DIFFERENCES = "Each seed's difference (dots) as a multiple of the published one (hollow)."
LUCK = (
    f"The grey bar is what one seed shows by luck, in {level()} of cases, where there is no "
    "difference at all: a published difference inside it is one that a single seed could not tell "
    "from none."
)


def figures_of(config: "Config", experiment: str, section: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and captions of an experiment's figures that stand in a section."""
    for figure in FIGURES:
        if figure.section == section and figure.shows and figure.shows(config, experiment):
            yield figure.captioned(config, experiment)


def figures_in(config: "Config", section: str) -> list[tuple[str, str]]:
    """Return the names and captions of a section's figures that show no experiment."""
    return [
        figure.captioned(config)
        for figure in FIGURES
        if figure.section == section and not figure.shows
    ]


def _drawn_models(config: "Config", _name: str) -> list[str]:
    listed = (entry.variant for entry in config.parameter_counts if entry.drawn)
    return [*config.members(next(iter(config.experiments))), *listed]


FIGURES = (
    *EXPERIMENT_FIGURES,
    *(probe.figure for probe in PROBES if probe.figure),
    Figure(
        "cost",
        "draw what attention costs",
        doing="Drawing what attention costs",
        reads={"table": "results/memory.csv", "exponents": "results/exponents.csv"},
        told={"memory_budget_mib": lambda config, _name: config.kernels.memory_budget_mib},
        caption="Peak memory and time against the number of tokens; exponents are log-log fits.",
        category="Cost",
        subject="kernels",
        label="memory and time",
        section="cost-of-attention",
    ),
    Figure(
        "parameters",
        "draw where the parameters are",
        doing="Drawing where the parameters are",
        reads={"table": "results/parameters.csv"},
        told={"models": _drawn_models},
        caption="Each component's share of a model's parameters.",
        category="Cost",
        label="shares",
        section="parameter-counts",
    ),
    Figure(
        "seed_noise",
        "draw published differences beside luck",
        doing="Drawing what one seed can tell",
        reads={"table": "results/seed_noise.csv"},
        caption=f"{SEED_DIFFERENCES} {LUCK}",
        category="Seeds",
        subject="published differences",
        label="what one seed can tell",
        section="seed-noise",
    ),
)
"""In the order of the page."""
