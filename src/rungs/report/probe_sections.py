"""The sections of the page on what is measured without training, as the catalogue declares them."""

from pathlib import Path

from rungs.config import Config
from rungs.probes.catalogue import PROBES, SECTIONS
from rungs.probes.probe import ProbeSection
from rungs.report.catalogue import figures_in
from rungs.report.section import Section
from rungs.report.showing import show


def probe_sections(config: Config, results: Path) -> list[Section]:
    """Return the sections in the catalogue's order.

    Raises:
        UserError: a table that exists cannot be read.
    """
    return [_section(config, results, declared) for declared in SECTIONS]


def _section(config: Config, results: Path, declared: ProbeSection) -> Section:
    probes = [probe for probe in PROBES if probe.section == declared.anchor]
    names = [probe.name for probe in probes]
    lead = declared.lead if isinstance(declared.lead, str) else declared.lead(config)
    section = Section(declared.anchor, declared.title, names, [lead])
    section.figures = figures_in(config, section.anchor)

    def label(variant: str) -> str:
        return config.label(variant) if variant in config.variants else variant

    for probe in probes:
        if probe.table:
            show(section, results, f"{probe.name}.csv", probe.table, "This measurement", label)
    return section
