"""Which settings differ between two commands of one job, by the keys of the configuration."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_CORPUS_STAGES = (
    *("download", "download-resumable", "generate-corpus", "generate-referents"),
    *("tokenize", "tokenize-stories", "measure-text"),
)

_LONGEST = 60
"""Characters of a value that a sentence has room for."""


class Difference(NamedTuple):
    """One setting that changed."""

    key: str
    """Section of the configuration, or whose setting it is."""
    words: str
    """What changed, and how."""


def differences(
    address: Sequence[str], old: Sequence[str], new: Sequence[str]
) -> Iterator[Difference]:
    """Yield the settings in which two commands of the job at ``address`` differ.

    Files that a command names are left to Snakemake's own reasons.
    """
    before, now = _options(old), _options(new)
    for option in dict.fromkeys([*before, *now]):
        values = before.get(option, []), now.get(option, [])
        if values[0] == values[1] or option in ("--code", "--command", "--log") or _files(values):
            continue
        section = _section(option, address, new[0])
        for path, was, is_now in _changes(*map(_value, values)):
            yield _difference(section, option, path, was, is_now)


def _difference(
    section: str, option: str, path: tuple[str, ...], was: Any, is_now: Any
) -> Difference:
    if option == "--configuration":  # the keys are in the path
        section, path = ".".join(path[:2]), path[2:]
    elif not path and option not in ("--device", "--context-lengths"):
        path = (option.removeprefix("--").replace("-", "_"),)
    name = f"{'.'.join(path)} " if path else ""
    before, now = _shown(was, is_now)
    return Difference(section, f"{name}was {before}, is now {now}")


def _options(command: Sequence[str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    name = ""
    for word in command[1:]:
        if word.startswith("--"):
            name = word
            options[name] = []
        elif name:
            options[name].append(word)
    return options


def _files(values: tuple[list[str], list[str]]) -> bool:
    """Say whether the words are addresses of results."""
    words = [*values[0], *values[1]]
    return all(word.startswith(("results/", "../", ".rungs/")) for word in words)


def _section(option: str, address: Sequence[str], stage: str) -> str:
    if option == "--architecture":
        return f"variants.{address[3]}"
    if option == "--budget":
        return f"budgets.{address[2]}"
    if option in ("--device", "--context-lengths"):
        return option.removeprefix("--").replace("-", "_")
    if stage in _CORPUS_STAGES:
        return f"corpora.{address[1]}"
    return "kernels" if stage == "kernel" else f"settings of {'/'.join(address)}"


def _value(words: list[str]) -> Any:
    if len(words) != 1:
        return words
    try:
        return json.loads(words[0])
    except ValueError:
        return words[0]


def _changes(was: Any, is_now: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield path, old and new value of every leaf that differs; a list of words is a leaf."""
    if isinstance(was, dict) and isinstance(is_now, dict):
        for key in dict.fromkeys([*was, *is_now]):
            yield from _changes(was.get(key), is_now.get(key), (*path, str(key)))
    elif _holds_objects(was) and _holds_objects(is_now) and len(was) == len(is_now):
        for index, pair in enumerate(zip(was, is_now, strict=True)):
            yield from _changes(*pair, (*path, str(index)))
    elif was != is_now:
        yield path, was, is_now


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _shown(*values: Any) -> Iterator[str]:
    """Yield values as they are typed, long ones from shortly before they differ."""
    texts = [
        "nothing" if value in (None, []) else json.dumps(value, ensure_ascii=False)
        for value in values
    ]
    start = 0
    if max(map(len, texts)) > _LONGEST:
        shortest = min(map(len, texts))
        alike = (len(set(letters)) == 1 for letters in zip(*texts, strict=False))
        start = max(0, next((i for i, same in enumerate(alike) if not same), shortest) - 15)
    for text in texts:
        end = start + _LONGEST
        yield f"{'...' if start else ''}{text[start:end]}{'...' if len(text) > end else ''}"
