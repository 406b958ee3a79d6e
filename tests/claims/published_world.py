"""A world in which every published claim holds, solved from the claims themselves.

Where the chapters print no number, any with which their sentences are true.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rungs.claims.quantities import NotRun, Values
from rungs.claims.results import Results
from rungs.probes.catalogue import BY_NAME
from rungs.published.load import sections
from rungs.published.quantity import Cell, Growth, Least, Minus, Quantity, Ratio, Sum
from rungs.published.schema import Claim
from rungs.tables.comparable import TABLES

CLAIMS = [claim for section in sections() for claim in section.claims]
CELLS = {cell.canonical(): cell for claim in CLAIMS for cell in claim.cells}
MARGIN = 0.01
"""By which an order holds, or its like."""
SOMETHING = 50.0
"""A number of which the chapters say nothing."""
SPREAD = {0: -0.001, 1: 0.0, 2: 0.001}
"""What a seed's luck adds to every drawn number, as a share of it."""


def published_world() -> dict[str, Values | str]:
    """Return every cell that a claim rests on, over three seeds where it is drawn."""
    numbers = _solved()
    fixed = {cell.canonical() for claim in CLAIMS if _is_fixed(claim) for cell in claim.cells}
    world: dict[str, Values | str] = {}
    for name, cell in CELLS.items():
        number = numbers[name]
        if isinstance(number, str):
            world[name] = number
        elif cell.table in TABLES:
            world[name] = {None: number}
        else:
            spread = dict.fromkeys(SPREAD, 0.0) if name in fixed else SPREAD
            world[name] = {seed: number * (1 + share) for seed, share in spread.items()}
    return world


def _is_fixed(claim: Claim) -> bool:
    return claim.kind in ("check", "every") and claim.published is not None


@cache
def _solved() -> dict[str, float | str]:
    """Return a number for every cell: claim after claim, those first that leave no choice."""
    known: dict[str, float | str] = {}
    order = ("difference", "order")  # before ratios, which are rounded
    left = sorted(
        CLAIMS, key=lambda c: 0 if isinstance(c.quantity, Cell) else 1 if c.kind in order else 2
    )
    while len(known) < len(CELLS):
        before = len(known)
        for claim in left:
            unknown = [cell for cell in claim.cells if cell.canonical() not in known]
            for part in _parts(claim.quantity):
                missing = [cell for cell in part.cells if cell in unknown]
                if len(missing) == 1:
                    found = _solve(part, missing[0], _target(claim), known)
                    known.setdefault(missing[0].canonical(), found)
        if len(known) == before:
            known[next(name for name in CELLS if name not in known)] = SOMETHING
    return known


def _parts(quantity: Quantity) -> list[Quantity]:
    return quantity.least if isinstance(quantity, Least) else [quantity]


def _target(claim: Claim) -> float | str:
    if isinstance(claim.published, str):
        return claim.published
    if claim.number is None and claim.between is not None:
        low, high = claim.between
        return high / 2 if high is not None else 2 * (low or 1.0)
    return MARGIN if claim.number is None else float(claim.number)


def _solve(
    quantity: Quantity, cell: Cell, target: float | str, known: Mapping[str, float | str]
) -> float | str:
    """Return the value of the cell with which the quantity is the target."""
    if isinstance(target, str) or isinstance(quantity, Cell):
        return target

    def number(part: Quantity) -> float:
        match part:
            case Cell():
                return float(known[part.canonical()])
            case Minus(minus=(first, second)):
                return number(first) - number(second)
            case Ratio(ratio=(first, second)):
                return number(first) / number(second)
            case Sum(sum=parts):
                return sum(map(number, parts))
        raise AssertionError(part)

    match quantity:
        case Minus(minus=(first, second)):
            if cell in first.cells:
                return _solve(first, cell, target + number(second), known)
            return _solve(second, cell, number(first) - target, known)
        case Ratio(ratio=(first, second)):
            if cell in first.cells:
                return _solve(first, cell, target * number(second), known)
            return _solve(second, cell, number(first) / target, known)
        case Sum(sum=parts):
            (own,) = (part for part in parts if cell in part.cells)
            rest = sum(number(part) for part in parts if part is not own)
            return _solve(own, cell, target - rest, known)
        case Growth(growth=(start, end)):
            factor = (float(end.row["tokens"]) / float(start.row["tokens"])) ** target
            return number(start) * factor if cell == end else number(end) / factor
    raise AssertionError(quantity)


class World(Results):
    """Results that are a dictionary."""

    def __init__(self, world: Mapping[str, Values | str]) -> None:
        super().__init__(Path("world"), BY_NAME)
        self.world = world

    def numbers(self, cell: Cell) -> Values:
        found = self._find(cell)
        assert not isinstance(found, str)
        return found

    def word(self, cell: Cell) -> str:
        found = self._find(cell)
        assert isinstance(found, str)
        return found

    def _find(self, cell: Cell) -> Values | str:
        if cell.canonical() not in self.world:
            raise NotRun("nothing there")
        return self.world[cell.canonical()]
