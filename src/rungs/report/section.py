"""What a section of the page is."""

from dataclasses import dataclass, field

from rungs.report.judged import ClaimView
from rungs.report.table_view import TableView


@dataclass
class Section:
    """One section of the page.

    Attributes:
        anchor: its address within the page. Those that are not an experiment's name have a
            hyphen, which no experiment's name can have.
        sources: the tables it shows, by name; claims that rest on one of them are shown here.
        lead: sentences under the heading.
        figures: names and captions of its figures, drawn or not.
        tables: the tables that exist.
        missing: what the absent tables are, and where they will be, below the results folder.
    """

    anchor: str
    title: str
    sources: list[str] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[TableView] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    claims: list[ClaimView] = field(default_factory=list)
