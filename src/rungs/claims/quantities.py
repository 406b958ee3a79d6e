"""Compute a quantity from its cells, seed by seed."""

import math
from collections.abc import Callable, Sequence
from functools import reduce

from rungs.published.quantity import Cell, Growth, Least, Minus, Quantity, Ratio, Sum

Values = dict[int | None, float]
"""One number per seed; of what has no seed, one number under None."""


class NotRun(Exception):  # noqa: N818 - not an error: an expected answer
    """A quantity is not among the results; the message says what is missing."""

    cell: Cell | None = None
    """The one that is, where it is one."""


class NotMade(NotRun):
    """The file that holds a quantity is missing."""


class Diverged(NotRun):
    """A run that a quantity rests on diverged; the message says which, and at which step."""


def evaluate(quantity: Quantity, look_up: Callable[[Cell], Values]) -> Values:
    """Return the quantity for every seed that has all of its cells.

    Args:
        quantity: what to compute.
        look_up: returns a cell's numbers, or raises NotRun.

    Raises:
        NotRun: a cell is missing, or no seed has all of them.
    """
    match quantity:
        case Cell():
            try:
                return look_up(quantity)
            except NotRun as missing:
                missing.cell = quantity
                raise
        case Minus(minus=operands):
            return _paired(lambda a, b: a - b, operands, look_up)
        case Ratio(ratio=operands):
            return _paired(lambda a, b: a / b, operands, look_up)
        case Sum(sum=operands):
            return _paired(lambda a, b: a + b, operands, look_up)
        case Least(least=operands):
            return _paired(min, operands, look_up)
        case Growth(growth=(start, end)):
            longer = math.log(float(end.row["tokens"]) / float(start.row["tokens"]))
            return _paired(lambda a, b: math.log(b / a) / longer, (start, end), look_up)


def _paired(
    combine: Callable[[float, float], float],
    operands: Sequence[Quantity],
    look_up: Callable[[Cell], Values],
) -> Values:
    found = [evaluate(operand, look_up) for operand in operands]
    common = [seed for seed in found[0] if all(seed in values for values in found)]
    if not common:
        raise NotRun("no seed has every run that is compared")
    return {seed: reduce(combine, (values[seed] for values in found)) for seed in common}
