"""Stage ``fixed-probes``: what no random number and no setting enters, and its tables, at once.

Each of them takes less time than a process takes to start.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from rungs.probes import averaging_matrix, mask, masking
from rungs.tables import probe
from rungs.tables.settings import ProbeSettings

MEASURES = {
    "averaging_matrix": averaging_matrix.run,
    "masking": masking.run,
    "mask": mask.run,
}
"""By the name of the result."""


def run(
    *,
    measurements: Annotated[Sequence[Path], "JSON, named by probes"],
    tables: Annotated[Sequence[Path], "CSV, in the same order"],
) -> str:
    """Write every measurement and its table."""
    for measured, table in zip(measurements, tables, strict=True):
        MEASURES[measured.stem](output=measured)
        probe.run(
            measurements=measured,
            probe=measured.stem,
            settings=ProbeSettings(published=ProbeSettings()),
            output=table,
        )
    return f"{len(measurements)} probes and their tables"
