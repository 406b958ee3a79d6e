"""Read the published claims of every chapter and section."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import yaml

from rungs.config import Config, read_config, read_source
from rungs.errors import UserError
from rungs.published.quantity import Cell, Minus
from rungs.published.schema import Section
from rungs.reading import reading

CONFIG = "config.yaml"


class PublishedCell(NamedTuple):
    """A published number that stands for one cell of a table."""

    cell: Cell
    published: float


@cache
def sections() -> tuple[Section, ...]:
    """Return all sections, in the order of their file names."""
    files = sorted(
        (file for file in resources.files("rungs.published").iterdir() if _is_data(file.name)),
        key=lambda file: file.name,
    )
    return tuple(
        Section.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files
    )


@cache
def published_config() -> Config:
    """Return the configuration that the published numbers hold for."""
    with resources.as_file(resources.files("rungs.published") / CONFIG) as path:
        return read_config(path)


def own_sections(paths: Sequence[Path]) -> tuple[Section, ...]:
    """Return the sections that a reader adds to the chapters', each a file of the same form.

    Raises:
        UserError: a file cannot be read or is not such a section, or a claim has the name of
            another; names the file and the key.
    """
    names = {claim.id for section in sections() for claim in section.claims}
    found = []
    for path in paths:
        source = read_source(path)
        with reading(path, way_out="mend it, docs/claims.md has an example"):
            section = Section.model_validate(source.content)
        for claim in section.claims:
            if claim.id in names:
                raise UserError(f"{path}: another claim is called {claim.id}; rename it")
            names.add(claim.id)
        found.append(section)
    return tuple(found)


def _is_data(name: str) -> bool:
    """Tell a section from what an editor leaves beside it; the rules' inputs are the same files."""
    return name.endswith(".yaml") and not name.startswith(".") and name != CONFIG


def published_cells(table: str) -> Iterator[PublishedCell]:
    """Yield every published number that is a single cell of the table.

    They are the claims whose quantity is one cell, and the numbers that are shown and not claimed.
    A caller that shows them checks that it measures what was published.
    """
    for section in sections():
        for claim in section.claims:
            cell, number = claim.quantity, claim.number
            if isinstance(cell, Cell) and cell.table == table and number is not None:
                yield PublishedCell(cell, float(number))
        for shown in section.shown:
            if shown.cell.table == table:
                yield PublishedCell(shown.cell, shown.published)


def published_differences(table: str) -> Iterator[tuple[tuple[Cell, Cell], float]]:
    """Yield the published differences between two cells of the table, first minus second."""
    for section in sections():
        for claim in section.claims:
            quantity, number = claim.quantity, claim.number
            if isinstance(quantity, Minus) and number is not None:
                first, second = quantity.minus
                if isinstance(first, Cell) and isinstance(second, Cell) and first.table == table:
                    yield (first, second), float(number)
