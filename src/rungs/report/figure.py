"""What is declared of a figure: what draws it, from what, its caption, and where it stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rungs.config import Config

Asked = Callable[["Config", str], Any]
"""Asked of the configuration and an experiment's name, which is empty where there is none."""


@dataclass(frozen=True)
class Figure:
    """One kind of figure.

    Attributes:
        drawing: the module below ``rungs.report.figures``.
        draws: what its stage does, in words.
        doing: what a job says while it draws; ``{}`` is the experiment.
        reads: the paths that its function and its rule are given, by parameter.
        told: the other values: words, numbers, lists of those, or dictionaries as JSON.
        caption: the caption, or how it follows from the configuration.
        category: where Snakemake's own report lists it.
        label: what that list calls it, or how it follows from the configuration.
        subject: what that list says it is about; by default the experiment or the drawing.
        name: of its files, without their ending; ``{}`` is the experiment, the drawing by default.
        shows: whether it shows an experiment; None if it shows none.
        section: the anchor of its section of the page; the experiment's own where it is empty.
    """

    drawing: str
    draws: str
    doing: str
    reads: Mapping[str, str | Asked]
    caption: str | Asked
    label: str | Asked
    told: Mapping[str, Asked] = field(default_factory=dict)
    category: str = "Experiments"
    subject: str = ""
    name: str = ""
    shows: Asked | None = None
    section: str = ""

    @property
    def module(self) -> str:
        """The module that draws it, whose code it depends on."""
        return f"rungs.report.figures.{self.drawing}"

    @property
    def stage(self) -> str:
        """The word of the command line."""
        return f"figure-{self.drawing}".replace("_", "-")

    def file(self, experiment: str) -> str:
        """Return the name of its files, without folder and ending."""
        return (self.name or self.drawing).format(experiment)

    def experiments(self, config: "Config") -> list[str]:
        """Return the experiments that it shows."""
        return [name for name in config.experiments if self.shows and self.shows(config, name)]

    def captioned(self, config: "Config", experiment: str = "") -> tuple[str, str]:
        """Return the name and the caption of the figure, of an experiment with seeds."""
        return self.file(experiment), _asked(self.caption, config, experiment)

    def labelled(self, config: "Config", experiment: str) -> dict[str, str]:
        """Return the labels of Snakemake's own report."""
        label = _asked(self.label, config, experiment)
        subject = self.subject or experiment or self.drawing.replace("_", " ")
        return {"experiment": subject, "figure": label}

    def values(self, config: "Config", experiment: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the paths that it reads, and what else it is told, by parameter."""
        reads, told = (
            {name: _asked(value, config, experiment) for name, value in asked.items()}
            for asked in (self.reads, self.told)
        )
        return reads, told


def _asked(value: str | Asked, config: "Config", experiment: str) -> Any:
    return value(config, experiment) if callable(value) else value
