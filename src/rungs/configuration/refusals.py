"""What is wrong with a configuration: the file, the key, and the way out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from rungs.configuration.names import did_you_mean
from rungs.configuration.schema import Schema

NAME_RULE = "names are lower-case letters, digits and _, and begin with a letter"


class Source(NamedTuple):
    """A part of the configuration; later parts override earlier ones, key by key."""

    name: str
    """The file, or the option of the command line."""
    content: Mapping[str, Any]


def refusals(error: ValidationError, sources: Sequence[Source]) -> Iterator[str]:
    """Yield one line for each problem: where it was written, the key's path, and a way out."""
    for item in error.errors():
        for path, problem in _problems(item):
            source = _source(path.split("."), sources)
            yield f"{source}: {path}: {problem}" if path else f"{source}: {problem}"


def _problems(item: Any) -> Iterator[tuple[str, str]]:
    # A corpus's source chooses its schema, and pydantic puts it behind the corpus's name.
    location = [part for part in item["loc"] if part != "[key]"]
    where = [str(part) for i, part in enumerate(location) if (location[0], i) != ("corpora", 2)]
    path = ".".join(part if part.isprintable() else repr(part) for part in where)
    if item["type"] != "value_error":
        yield path, _in_words(item)
        return
    for line in item["msg"].removeprefix("Value error, ").split("\n"):
        key, _, problem = line.partition(": ")
        yield ".".join(filter(None, [path, key])), problem


def _in_words(item: Any) -> str:
    given = repr(item["input"])[:80]
    match item["type"]:
        case "extra_forbidden":
            meant = did_you_mean(str(item["loc"][-1]), _keys_beside(item["loc"]))
            return f"unknown key{meant or '; check its spelling or remove it'}"
        case "missing":
            return "is required and missing"
        case "list_type":
            return f"is {given}, where a list is expected; write [{given}]"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"is {given}, where keys and values are expected"
        case "too_short":
            return "is empty; give at least one"
        case "string_pattern_mismatch" if "[key]" in item["loc"] or "_]" in item["msg"]:
            return f"{given} is not a name; {NAME_RULE}"
        case "union_tag_invalid":
            return f"source: must be one of {item['ctx']['expected_tags']} (given: {given})"
        case "union_tag_not_found":
            return "source: is required and missing"
    message = str(item["msg"]).replace("Input should be", "must be")
    return f"{message[0].lower()}{message[1:]} (given: {given})"


def _keys_beside(location: Sequence[int | str]) -> list[str]:
    """Return the keys that are known where the last one of a path stands."""
    kind: Any = Schema
    for part in location[:-1]:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            kind = kind.model_fields[str(part)].annotation
        elif get_origin(kind) in (dict, list):
            kind = get_args(kind)[-1]
        else:  # one of several, as its source says
            kind = next(k for k in get_args(get_args(kind)[0]) if part == _source_of(k))
        if type(None) in get_args(kind):
            kind = get_args(kind)[0]
    return [*kind.model_fields]


def _source_of(kind: type[BaseModel]) -> str:
    source: str = get_args(kind.model_fields["source"].annotation)[0]
    return source


def _source(path: Sequence[str], sources: Sequence[Source]) -> str:
    """Return the last source that goes furthest along the path: it wrote what is refused."""
    depths = [_depth(path, source.content) for source in sources]
    return sources[max(range(len(sources)), key=lambda i: (depths[i], i))].name


def _depth(path: Sequence[str], content: Any) -> int:
    for depth, key in enumerate(path):
        if isinstance(content, Mapping) and key in content:
            content = content[key]
        else:
            return depth
    return len(path)
