"""What only the user knows of the cluster: the account that pays, and the partitions."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, ValidationError

from rungs.errors import UserError
from rungs.settings import Settings

SITE = Path(__file__).parents[3] / "profiles/slurm/site.yaml"
"""Beside the profile, and not in git."""

SlurmName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.,-]*$")]


class Site(Settings):
    """How jobs are submitted here; what is not given is left to SLURM."""

    account: SlurmName | None = None
    partition: SlurmName | None = None
    gpu_partition: SlurmName | None = None
    """Where the jobs go that may use a GPU; by default where all go."""


def site(file: Path = SITE, environment: Mapping[str, str] = os.environ) -> Site:
    """Return the site: the variables that ``sbatch`` itself knows, before the file.

    Args:
        file: YAML with the fields of `Site`; it need not exist.
        environment: may have ``SBATCH_ACCOUNT`` and ``SBATCH_PARTITION``.

    Raises:
        UserError: the file is not YAML, or a name is none.
    """
    try:
        found = yaml.safe_load(file.read_bytes()) if file.exists() else None
    except yaml.YAMLError as error:
        raise UserError(f"{file}: is not valid YAML: {error}") from error
    if found is not None and not isinstance(found, dict):
        raise UserError(f"{file}: has no keys; give account, partition or gpu_partition")
    values = dict(found or {})
    for key in ("account", "partition"):
        if given := environment.get(f"SBATCH_{key.upper()}"):
            values[key] = given
    try:
        return Site.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        known = ", ".join(Site.model_fields)
        raise UserError(
            f"{file} or SBATCH_{where.upper()}: {where}: {first['msg']}; known are {known}"
        ) from error
