"""Look up the cells of the tables in a results folder, as far as they have been made."""

from collections.abc import Collection
from pathlib import Path

from rungs.claims.quantities import Diverged, NotMade, NotRun, Values
from rungs.errors import UserError
from rungs.files import read_json
from rungs.probes.measurement import Measurement, read_measurements
from rungs.published.quantity import Cell
from rungs.reading import reading
from rungs.tables.comparable import TABLES
from rungs.tables.reading import read_table
from rungs.tables.samples import Samples, read_observations, samples


class Results:
    """A results folder, of which any part may be missing; its probes are named."""

    def __init__(self, folder: Path, probes: Collection[str]) -> None:
        self.folder = folder
        self.probes = probes
        self._experiments: dict[str, Samples] = {}
        self._measurements: dict[str, list[Measurement]] = {}

    def numbers(self, cell: Cell) -> Values:
        """Return a cell's number, for every seed where it has seeds.

        Raises:
            Diverged: a seed of its run diverged.
            NotRun: the cell is not there, or is empty.
            UserError: its file is there and malformed.
        """
        if cell.table in self.probes and (by_seed := self._probed(cell).by_seed):
            return dict(enumerate(by_seed))
        if cell.table not in (*TABLES, *self.probes):
            return self._measured(cell)
        try:
            return {None: float(self._single(cell))}
        except (TypeError, ValueError) as error:
            raise UserError(
                f"{self.folder / cell.table}: {cell.column} is no number; delete it and run again"
            ) from error

    def word(self, cell: Cell) -> str:
        """Return what a cell says that holds a word.

        Raises:
            NotRun: the cell is not there, or is empty.
            UserError: its file is there and malformed.
        """
        return str(self._single(cell))

    def _probed(self, cell: Cell) -> Measurement:
        """Return the measurement of the rows the cell names, which must all say the same."""
        if cell.table not in self._measurements:
            path = self.folder / "probes" / f"{cell.table}.json"
            if not path.exists():
                raise NotMade(f"probes/{path.name} is missing")
            self._measurements[cell.table] = read_measurements(path)
        found = [
            m
            for m in self._measurements[cell.table]
            if m.metric == cell.column and cell.row.items() <= m.row.items()
        ]
        if not found or any(m.values != found[0].values for m in found):
            problem = "has several values" if found else "is not"
            raise NotRun(f"{cell.column} of {_row(cell)} {problem} in probes/{cell.table}.json")
        return found[0]

    def _measured(self, cell: Cell) -> Values:
        """Return what an experiment's runs measured."""
        if cell.table not in self._experiments:
            path = self.folder / "observations" / f"{cell.table}.csv"
            if not path.exists():
                raise NotMade(f"observations/{path.name} is missing")
            self._experiments[cell.table] = samples(read_observations(path), path)
        measured, variant = self._experiments[cell.table], cell.row["variant"]
        found = measured.of(cell.row, cell.column)
        if not found and (ended := measured.diverged(variant)):
            words = ended.replace(" at step", " diverged at step")
            raise Diverged(f"{variant}: {words}")
        if not found:
            length = cell.row.get("context_length")
            at = "" if length is None else f" at {length} tokens"
            raise NotRun(f"{variant} has not been evaluated{at}")
        return {seed: value for seed, value in found.items()}  # noqa: C416 - other key type

    def _single(self, cell: Cell) -> float | str:
        """Return a cell of a table that no seed enters."""
        if cell.table in self.probes:
            return self._probed(cell).values[0]
        if cell.table == "corpus":
            return self._of_corpus(cell)
        path = self.folder / f"{cell.table}.csv"
        if not path.exists():
            raise NotMade(f"{path.name} is missing")
        table = read_table(path, [*cell.row, cell.column], may_be_empty=True)
        for column, wanted in cell.row.items():
            table = table[table[column] == wanted]
        found = [value for value in table[cell.column].dropna().unique() if value != ""]
        if len(found) != 1:
            problem = "has several values" if len(found) else "is empty" if len(table) else "is not"
            raise NotRun(f"{cell.column} of {_row(cell)} {problem} in {path.name}")
        return found[0]

    def _of_corpus(self, cell: Cell) -> float | str:
        path = self.folder / "corpus" / str(cell.row["corpus"]) / corpus_file(cell.column)
        if not path.exists():
            raise NotMade(f"corpus {cell.row['corpus']} has not been tokenized")
        with reading(path):
            found: float | str = read_json(path)[cell.column]
            return found


def corpus_file(column: str) -> str:
    """Return which file of a corpus has a number: of its text, or of its tokens."""
    return "measures.json" if column.startswith(("sentence", "scored")) else "summary.json"


def _row(cell: Cell) -> str:
    return ", ".join(f"{column} {value}" for column, value in cell.row.items())
