"""What a section of the page is."""

from dataclasses import dataclass, field

from rungs.report.judged import ClaimView, Tally, tally
from rungs.report.questions import Question
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
        questions: what the text leaves open, of the section on readings.
    """

    anchor: str
    title: str
    sources: list[str] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[TableView] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    claims: list[ClaimView] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def tally(self) -> Tally:
        """How many of its claims got each verdict."""
        return tally(self.claims)

    @property
    def origins(self) -> list[str]:
        """The chapters' sections that its claims are from, in words, each once."""
        return list(dict.fromkeys(claim.source for claim in self.claims))
