"""Which versions of the training code are proved equal, in an archive of runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from rungs.files import read_json
from rungs.reading import reading

PROOFS = "proofs.json"


class Proof(NamedTuple):
    """Two versions of the training code, by digest, that gave a run the same first entries."""

    recorded: str
    found: str
    run: str
    """The address of the run that was trained anew."""
    steps: int
    device: str
    torch: str


def read_proofs(path: Path) -> list[Proof]:
    """Return what is recorded in a ``proofs.json``; nothing where there is none.

    Raises:
        UserError: the file is damaged.
    """
    if not path.exists():
        return []
    with reading(path):
        return TypeAdapter(list[Proof]).validate_python([Proof(**e) for e in read_json(path)])


def equal_versions(proofs: Iterable[Proof], version: str) -> set[str]:
    """Return the versions that are proved equal to one, itself included, in any number of steps."""
    equal, pending = {version}, [version]
    while pending:
        one = pending.pop()
        for proof in proofs:
            if one in (proof.recorded, proof.found):
                new = {proof.recorded, proof.found} - equal
                equal |= new
                pending += new
    return equal
