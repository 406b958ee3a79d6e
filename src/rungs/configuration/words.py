"""Values that keys of several kinds have."""

from typing import Annotated

from pydantic import Field, StringConstraints

from rungs.arguments import SEED_LIMIT
from rungs.settings import CountOrZero

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]
Seed = Annotated[CountOrZero, Field(lt=SEED_LIMIT)]
