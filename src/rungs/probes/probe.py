"""What is declared of a probe: what measures it, on what it depends, and how the page shows it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rungs.report.figure import Asked, Figure
from rungs.report.shown import Shown

if TYPE_CHECKING:
    from rungs.config import Config


class Drawn(NamedTuple):
    """What is declared of a probe's figure; the rest follows from the probe."""

    what: str
    """It shows, in words that follow `drawing`."""
    caption: str
    label: str
    """What Snakemake's own report calls it."""
    reads: Mapping[str, str] = {}
    """By parameter; the probe's table by default."""
    told: Mapping[str, Asked] = {}


@dataclass(frozen=True)
class Probe:
    """A measurement that needs no training.

    Attributes:
        name: of its module, its result and its table.
        help: what its stage does, in words.
        section: the anchor of its section of the page.
        settings: the options of its stage that the configuration decides, by parameter: a number,
            a list of numbers, or a list of dictionaries as JSON.
        exact: no random number enters it; the others are repeated over seeds.
        corpus: the corpus whose training tokens it reads; None if it reads none.
        table: how the page shows its table, if it does.
        drawn: its figure, if it has one.
    """

    name: str
    help: str
    section: str
    settings: Callable[["Config"], dict[str, Any]] | None = None
    exact: bool = False
    corpus: Callable[["Config"], str] | None = None
    table: Shown | None = None
    drawn: Drawn | None = None

    @property
    def fixed(self) -> bool:
        """Whether no setting enters it either: such probes are measured, and shown, together."""
        return self.exact and self.settings is None

    @property
    def module(self) -> str:
        """The module that measures it, whose code it depends on."""
        return f"rungs.probes.{self.name}"

    @property
    def stage(self) -> str:
        """The word of the command line."""
        return f"probe-{self.name}".replace("_", "-")

    @property
    def figure(self) -> Figure | None:
        """Its figure, drawn by the module of its name."""
        if self.drawn is None:
            return None
        return Figure(
            self.name,
            f"draw {self.drawn.what}",
            doing=f"Drawing {self.drawn.what}",
            reads=self.drawn.reads or {"table": f"results/{self.name}.csv"},
            told=self.drawn.told,
            caption=self.drawn.caption,
            category="Probes",
            label=self.drawn.label,
            section=self.section,
        )

    def reads(self, config: "Config") -> dict[str, str]:
        """Return the paths that it reads, by parameter."""
        if self.corpus is None:
            return {}
        folder = f"results/corpus/{self.corpus(config)}"
        return {"train": f"{folder}/train.npy", "corpus": f"{folder}/summary.json"}

    def decided(self, config: "Config") -> dict[str, Any]:
        """Return the options that the configuration decides."""
        return self.settings(config) if self.settings else {}

    def options(self, config: "Config") -> dict[str, Any]:
        """Return all that its stage is told but for the output, by parameter."""
        seeds = {} if self.exact else {"seeds": config.probes.repetitions(self.name)}
        return {**self.reads(config), **self.decided(config), **seeds}


@dataclass(frozen=True)
class ProbeSection:
    """A section of the page on what is measured without training.

    Attributes:
        anchor: its address within the page.
        lead: the words under its heading, or how they follow from the configuration.
    """

    anchor: str
    title: str
    lead: str | Callable[["Config"], str]


def architectures(config: "Config", variants: Sequence[str]) -> list[dict[str, Any]]:
    """Return variants with their architectures, in order."""
    return [
        {"variant": name, "architecture": json.loads(config.variants[name].architecture())}
        for name in variants
    ]
