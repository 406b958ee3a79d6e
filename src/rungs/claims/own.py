"""A reader's own claims: whether the configured experiments can answer them at all."""

from collections.abc import Iterator, Sequence

from rungs.config import Config
from rungs.errors import UserError
from rungs.probes.catalogue import BY_NAME
from rungs.published.quantity import Cell
from rungs.published.schema import Section
from rungs.tables.columns import ANSWERS, SCORES, SHARPNESS
from rungs.tables.comparable import TABLES

COLUMNS = {
    "scores": (*SCORES, "bits_per_byte", "improvement", "parameters", *SHARPNESS),
    "steps": ("validation_loss", "ratio"),
    "answers": (*ANSWERS, "parameters", "chance"),
}
"""What a claim can be about, by the kind of experiment."""


def refuse_unanswerable(sections: Sequence[Section], config: Config) -> None:
    """Refuse claims on tables and variants that are not configured, before any job.

    Raises:
        UserError: a line for each, which names the claim.
    """
    found = [
        f"claims: {claim.id} of {section.chapter}, {section.section}: {problem}"
        for section in sections
        for claim in section.claims
        for cell in claim.cells
        for problem in _problems(cell, config)
    ]
    if found:
        raise UserError("\n".join(found))


def _problems(cell: Cell, config: Config) -> Iterator[str]:
    if cell.table in (*TABLES, *BY_NAME):
        return
    if cell.table not in config.experiments:
        known = ", ".join((*config.experiments, *TABLES, *BY_NAME))
        yield f"there is no table {cell.table}; known are {known}"
    elif "variant" not in cell.row:
        yield f"a row of {cell.table} is named by its variant, and context_length where it has one"
    elif cell.row["variant"] not in config.members(cell.table):
        members = ", ".join(config.members(cell.table))
        yield f"{cell.table} has no variant {cell.row['variant']}; it has {members}"
    else:
        columns, lengths = (
            COLUMNS[config.kind(cell.table)],
            config.experiments[cell.table].context_lengths,
        )
        if cell.column not in columns:
            yield f"{cell.table} has no column {cell.column}; it has {', '.join(columns)}"
        length = cell.row.get("context_length")
        if length is not None and lengths and length not in lengths:
            known = ", ".join(map(str, lengths))
            yield f"{cell.table} is not evaluated at {length} tokens; it is at {known}"
