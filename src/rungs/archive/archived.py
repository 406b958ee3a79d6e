"""One file a run, at ARCHIVE/{corpus}/{budget}/{variant}/seed{seed}.json."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from rungs.config import Config
from rungs.configuration.schema import Run
from rungs.errors import UserError

WAY_OUT = "get it again, or delete it to train the run here"


class ArchivedRun(BaseModel):
    """A run's description, history, evaluation and continuations, as their stages wrote them."""

    model_config = ConfigDict(extra="forbid")

    run: dict[str, Any]
    history: list[dict[str, Any]]
    """Up to the last step, or as far as a run came that diverged: of that one it may be empty."""
    evaluation: dict[str, Any]
    samples: dict[str, dict[str, Any]]
    """By experiment; of one that lets its runs write on."""

    @field_validator("evaluation")
    @classmethod
    def _by_context_length(cls, evaluation: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(evaluation.get("validation", {}), dict):
            raise ValueError("validation is not an object of context lengths")
        return evaluation


def address(run: Run) -> str:
    """Return where a run is below the folders of runs, evaluations and logs, and in an archive."""
    return f"{run.corpus}/{run.budget}/{run.variant}/seed{run.seed}"


def read_archived(path: Path) -> ArchivedRun:
    """Return what the archive says of a run.

    Raises:
        UserError: the file cannot be read, or is damaged.
    """
    try:
        archived = ArchivedRun.model_validate(json.loads(path.read_bytes()))
        # Neither NaN nor half a letter, which no stage writes.
        json.dumps(archived.model_dump(), allow_nan=False, ensure_ascii=False).encode()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise UserError(f"{path}: {problem}; {WAY_OUT}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: is damaged ({where}: {first['msg']}); {WAY_OUT}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: is damaged, not valid JSON ({error}); {WAY_OUT}") from error
    return archived


class Archive(NamedTuple):
    """Which of the configured runs an archive has."""

    taken: frozenset[Run]
    """With the settings that they have here. What trained them need not be this version of the
    code; the report says so where it is not. Those whose file is damaged are among them: taking one
    refuses it, and what does not need it does without."""
    unlike: frozenset[Run]
    """With other settings, so that they are trained."""


def read_archive(config: Config, archive: Path) -> Archive:
    """Compare every configured run that the archive has with the configuration.

    Raises:
        UserError: there is no archive.
    """
    if not archive.is_dir():
        problem = "is not a folder" if archive.exists() else "does not exist"
        raise UserError(
            f"archive: {config.archive} {problem}; give a folder, from the repository's or "
            "absolute, or drop the key"
        )
    runs = {run for experiment in config.experiments for run in config.runs(experiment)}
    paths = {run: archive / f"{address(run)}.json" for run in runs}
    found = {run: path for run, path in paths.items() if path.exists()}
    taken = frozenset(run for run, path in found.items() if _taken(config, run, path))
    return Archive(taken, frozenset(found) - taken)


def _taken(config: Config, run: Run, path: Path) -> bool:
    try:
        archived = read_archived(path)
    except UserError:
        return True
    return (
        config.trained_as_configured(run, archived.run)
        and _evaluated_as_configured(config, run, archived.evaluation)
        and all(
            archived.samples.get(name, {}).get("settings") == settings
            for name, settings in _continuations(config, run)
        )
    )


def _evaluated_as_configured(config: Config, run: Run, evaluation: dict[str, Any]) -> bool:
    wanted = {str(length) for length in config.evaluated_lengths(run.variant)}
    answers = config.corpora[run.corpus].source == "referents"
    return (
        answers
        or "diverged_at_step" in evaluation
        or evaluation.get("validation", {}).keys() == wanted
    )


def _continuations(config: Config, run: Run) -> list[tuple[str, Any]]:
    return [
        (name, json.loads(experiment.continues.canonical()))
        for name, experiment in config.experiments.items()
        if experiment.continues and run in config.runs(name)
    ]
