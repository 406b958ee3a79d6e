"""The code that runs is that of this checkout. It is looked at wherever the rules are read, on a node too."""

from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError

CHECKOUT = Path(workflow.basedir).resolve()


def refuse_code_of_another_place():
    """Rules from here and code from elsewhere would find nothing to do after an edit of this code."""
    found = find_spec("rungs")
    package = Path(found.origin).resolve().parent if found and found.origin else None
    if package != CHECKOUT / "src/rungs":
        raise WorkflowError(
            f"{CHECKOUT}: the rules here would run with {package or 'no package `rungs`'} instead of"
            " the src/rungs beside them, so that an edit of it would change nothing. Type"
            f" `make setup` and `source .venv/bin/activate` in {CHECKOUT}, then the same command"
        )


refuse_code_of_another_place()
