"""What a plan needs and this machine does not have."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from rungs.planning.estimate import Cost
from rungs.planning.memory import MIB


def shortages(costs: Sequence[Cost], folder: Path) -> list[str]:
    """Return a sentence for memory and one for disk, where there is too little.

    Args:
        costs: of the jobs.
        folder: where ``results/`` is, or will be.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / MIB
    existing = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    disk = shutil.disk_usage(existing).free / MIB
    largest, written = max(cost.mib for cost in costs), sum(cost.bytes for cost in costs) / MIB
    said = []
    if largest > memory:
        said.append(
            f"Too little memory: the largest job needs {largest:,.0f} MiB, and there are "
            f"{memory:,.0f} MiB here; make its width, batch or context smaller"
        )
    if written > disk:
        said.append(
            f"Too little disk: results need {written:,.0f} MiB, and {disk:,.0f} MiB are free in "
            f"{existing}"
        )
    return said
