"""Models that a probe is given by their architectures."""

from typing import Annotated

from rungs.model.architecture import Architecture
from rungs.settings import Settings


class Variant(Settings):
    """One of them."""

    variant: str
    architecture: Architecture


Variants = Annotated[list[Variant], 'JSON list of {"variant", "architecture"}, in order']
Seeds = Annotated[int, "how many: 0, 1, ..."]
