"""What is declared of a figure: what draws it, from what, its caption, and where it stands."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rungs.config import Config

Asked = Callable[["Config", str], Any]
"""Asked of the configuration and an experiment's name, which is empty where there is none."""


class Argument(NamedTuple):
    """What a drawing is told on its command line; paths are what its rule reads."""

    value: Asked
    """A path, a word, a number, a list of those, or a dictionary, which travels as JSON."""
    help: str
    type: Callable[[str], object] = str
    several: bool = False


@dataclass(frozen=True)
class Figure:
    """One kind of figure.

    Attributes:
        drawing: the module below ``rungs.report.figures``.
        draws: what its stage does, in words.
        doing: what a job says while it draws; ``{}`` is the experiment.
        arguments: by name, without those of the outputs.
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
    arguments: dict[str, Argument]
    caption: str | Asked
    label: str | Asked
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

    def values(self, config: "Config", experiment: str, *, paths: bool) -> dict[str, Any]:
        """Return the values of those arguments that are paths, or of the others."""
        return {
            name: argument.value(config, experiment)
            for name, argument in self.arguments.items()
            if (argument.type is Path) == paths
        }

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of its stage."""
        for name, argument in self.arguments.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", type=argument.type, required=True,
                nargs="+" if argument.several else None, help=argument.help,
            )  # fmt: skip
        parser.add_argument("--svg", type=Path, required=True, help="the figure as SVG")
        parser.add_argument("--png", type=Path, required=True, help="the figure as PNG")


def _asked(value: str | Asked, config: "Config", experiment: str) -> Any:
    return value(config, experiment) if callable(value) else value
