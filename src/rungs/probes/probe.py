"""What is declared of a probe: what measures it, on what it depends, and how the page shows it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rungs.report.figure import Figure
from rungs.report.shown import Shown

if TYPE_CHECKING:
    from rungs.config import Config


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
        fixed: exact, and no setting enters it either: its table is made with it.
        corpus: the corpus whose training tokens it reads; None if it reads none.
        table: how the page shows its table, if it does.
        figure: what is drawn of it, if anything.
    """

    name: str
    help: str
    section: str
    settings: Callable[["Config"], dict[str, Any]] = lambda _config: {}
    exact: bool = False
    fixed: bool = False
    corpus: Callable[["Config"], str] | None = None
    table: Shown | None = None
    figure: Figure | None = None

    @property
    def module(self) -> str:
        """The module that measures it, whose code it depends on."""
        return f"rungs.probes.{self.name}"

    @property
    def stage(self) -> str:
        """The word of the command line."""
        return f"probe-{self.name}".replace("_", "-")

    def reads(self, config: "Config") -> dict[str, str]:
        """Return the paths that it reads, by parameter."""
        if self.corpus is None:
            return {}
        folder = f"results/corpus/{self.corpus(config)}"
        return {"train": f"{folder}/train.npy", "corpus": f"{folder}/summary.json"}

    def options(self, config: "Config") -> dict[str, Any]:
        """Return all that its stage is told but for the output, by parameter."""
        seeds = {} if self.exact or self.fixed else {"seeds": config.probes.repetitions(self.name)}
        return {**self.reads(config), **self.settings(config), **seeds}


@dataclass(frozen=True)
class ProbeSection:
    """A section of the page on what is measured without training.

    Attributes:
        anchor: its address within the page.
        lead: the words under its heading, or how they follow from the configuration.
    """

    anchor: str
    title: str
    lead: Callable[["Config"], str]


def architectures(config: "Config", variants: Sequence[str]) -> list[dict[str, Any]]:
    """Return variants with their architectures, in order."""
    return [
        {"variant": name, "architecture": json.loads(config.variants[name].architecture())}
        for name in variants
    ]
