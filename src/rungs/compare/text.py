"""Tables for a terminal, and plain text for everything else."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

UNLIMITED = 100_000
"""Columns: nothing wraps where a program reads."""


class Output:
    """Standard output: drawn and coloured at a terminal, plain lines in a file or a pipe."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, emoji=False, markup=False)
        if not self.console.is_terminal:
            self.console.width = UNLIMITED

    def table(self, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; nothing without rows."""
        if not rows:
            return
        drawn = self.console.is_terminal
        table = Table(
            box=box.SIMPLE_HEAD if drawn else None,
            pad_edge=drawn,
            header_style="bold" if drawn else "",
        )
        for heading in headings:
            table.add_column(Text(heading), overflow="fold")
        for row in rows:
            table.add_row(*(Text(_printable(cell)) for cell in row))
        self.console.print(Text(title, style="bold"))
        with self.console.capture() as captured:
            self.console.print(table)
        for line in captured.get().splitlines():
            self.console.file.write(line.rstrip() + "\n")
        self.console.file.write("\n")

    def line(self, text: str) -> None:
        """Print a line of its own."""
        self.console.print(Text(_printable(text)), soft_wrap=True)


def _printable(cell: str) -> str:
    """Return the cell without what a terminal obeys; a results folder may come from anywhere."""
    return "".join(letter if letter.isprintable() else "?" for letter in cell)
