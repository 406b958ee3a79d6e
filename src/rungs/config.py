"""The whole configuration, read and validated.

``config.yaml`` is merged by Snakemake with any ``--configfile`` and ``--config`` and validated
here before a job starts. Everything a job needs of it travels as canonical JSON, in the job's
command or in a file that it names, so that a job reruns when, and only when, its own settings
change.
"""

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import ValidationError, model_validator

from rungs.configuration.refusals import Source, refusals
from rungs.configuration.schema import Schema
from rungs.errors import UserError, guard


class Config(Schema):
    """A configuration whose keys make sense together."""

    @model_validator(mode="after")
    @guard
    def _refuse_inconsistencies(self) -> Self:
        # Not above: it knows the catalogue of probes, which is part of no table's code.
        from rungs.configuration.consistency import problems

        if found := problems(self):
            raise ValueError("\n".join(found))
        return self


def parse_config(raw: dict[str, Any], sources: Sequence[Source] = ()) -> Config:
    """Validate a configuration as Snakemake or YAML files give it.

    Args:
        raw: the whole configuration.
        sources: the parts that it was merged from, to name the one that is wrong.

    Raises:
        UserError: one line for each problem, with the file, the key's path, and a way out.
    """
    named = sources or [Source("config.yaml", raw)]
    try:
        return Config.model_validate(_in_order(raw, [source.content for source in named]))
    except ValidationError as error:
        raise UserError("\n".join(refusals(error, named))) from None


def parse_json_config(text: str, source: str) -> Config:
    """Validate a configuration that a command line gives as JSON.

    Raises:
        UserError: it is not JSON, or what it says is refused.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{source}: is not valid JSON ({error})") from error
    return parse_config(raw, [Source(source, raw)])


def read_config(*paths: Path, values: Sequence[str] = ()) -> Config:
    """Read configuration files, later ones overriding earlier ones key by key, and validate.

    Args:
        paths: YAML files.
        values: what Snakemake's ``--config`` was given, ``KEY=VALUE``; they override the files.

    Raises:
        UserError: a file cannot be read, is not YAML, or the result is refused.
    """
    sources = [read_source(path) for path in paths]
    for word in values:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"--config {word}: give KEY=VALUE")
        # As Snakemake reads them: every nested value is a string.
        try:
            read = yaml.BaseLoader(value).get_single_data()
        except yaml.YAMLError as error:
            raise UserError(f"--config {word}: {_not_yaml(error)}") from error
        except RecursionError as error:
            raise UserError(f"--config {key}: is nested too deeply; write it in a file") from error
        sources.append(Source("--config", {key: read}))
    merged: dict[str, Any] = {}
    for source in sources:
        _merge(merged, source.content)
    return parse_config(merged, sources)


def read_source(path: Path) -> Source:
    """Read one configuration file.

    Raises:
        UserError: it cannot be read, is not YAML, gives a key twice, has no keys, or holds itself.
    """
    try:
        loaded = yaml.safe_load(path.read_bytes())
        refuse_duplicate_keys(path)
        json.dumps(loaded, default=str, skipkeys=True)
    except FileNotFoundError as error:
        raise UserError(
            f"{path}: does not exist; if it is a target and no configuration, put -- before it"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: {_not_yaml(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path}: an entry holds itself, or is nested too deeply; write it out"
        ) from error
    if loaded is None:
        raise UserError(f"{path}: is empty; give it a key, or leave it out")
    if not isinstance(loaded, dict):
        raise UserError(f"{path}: has no keys; see config.yaml for the expected form")
    return Source(str(path), loaded)


def _not_yaml(error: yaml.YAMLError) -> str:
    """Say in a sentence where a text is not YAML, and why."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        line = error.problem_mark.line + 1
        return f"line {line} is not valid YAML: {error.problem}; mend it, or quote what it holds"
    if isinstance(error, yaml.reader.ReaderError):
        return f"is not valid YAML at position {error.position:,}: {error.reason}; save it as UTF-8"
    return f"is not valid YAML: {error}"


def leave_if_unreadable(words: Sequence[str]) -> None:
    """End Snakemake, in a sentence, where it is given a configuration file that cannot be read.

    It reads these files before the Snakefile, and names neither file nor line. A profile is read
    before them.

    Args:
        words: of Snakemake's command.

    Raises:
        SystemExit: names the file.
    """
    given = False
    for word in words:
        if word.startswith("-"):
            given = word in ("--configfile", "--configfiles")
        elif given:
            try:
                read_source(Path(word))
            except UserError as error:
                raise SystemExit(f"No job is started:\n{error}") from None


def refuse_duplicate_keys(path: Path) -> None:
    """Refuse a YAML file that gives a key twice, of which every reader takes the last silently.

    Raises:
        UserError: names the file, the line and the key.
    """
    pending = [yaml.compose(path.read_bytes(), Loader=yaml.SafeLoader)]
    seen: set[int] = set()  # an anchor that refers to itself would be walked for ever
    while pending:
        node = pending.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
            continue
        keys = set()
        for key, value in node.value:
            if key.value in keys and key.tag != "tag:yaml.org,2002:merge":
                raise UserError(
                    f"{path}: line {key.start_mark.line + 1}: {key.value} is given twice; keep one"
                )
            keys.add(str(key.value))
            pending.append(value)


def _in_order(value: Any, written: Sequence[Any]) -> Any:
    """Put keys into the order in which the sources first give them.

    Snakemake puts those of later sources first, and the order of experiments is the report's.
    """
    if not isinstance(value, dict):
        return value
    written = [part for part in written if isinstance(part, Mapping)]
    keys = dict.fromkeys(key for part in written for key in part if key in value)
    return {
        key: _in_order(value[key], [part[key] for part in written if key in part])
        for key in (keys | value)
    }


def _merge(base: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    """Merge as Snakemake does: dictionaries key by key, anything else replaced."""
    for key, value in overlay.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = copy.deepcopy(value)  # a later merge must not reach into its source
