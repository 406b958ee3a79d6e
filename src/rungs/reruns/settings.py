"""Which settings differ between two commands of one job, by the keys of the configuration."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rungs.kept_settings import is_kept
from rungs.stages import CORPUS, STAGES

_OWN_SECTION = ("--device", "--context-lengths", "--models")
_WITHOUT_THEIR_NAME = (*_OWN_SECTION, "--settings", "--architecture", "--budget")
"""Options whose section says enough."""

_ORDER = object()
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
        if values[0] == values[1] or option in ("--code", "--command", "--log"):
            continue
        if all(map(is_file, [*values[0], *values[1]])):
            continue
        section = _section(option, address, new[0])
        if any(map(is_kept, values[0])):
            yield Difference(section, f"{_name(option)} changed; the last are not kept any more")
            continue
        for path, was, is_now in _changes(*map(_value, values)):
            yield _difference(section, option, path, was, is_now)


def _difference(
    section: str, option: str, path: tuple[str, ...], was: Any, is_now: Any
) -> Difference:
    if option == "--configuration":  # the keys are in the path
        section, path = ".".join(path[:2]), path[2:]
    elif option not in _WITHOUT_THEIR_NAME:
        path = (_name(option), *path)
    name = ".".join(path)
    if was is _ORDER:
        words = "are in another order"
    elif was is None and isinstance(is_now, dict | bool):
        words = "is new"
    elif is_now is None and isinstance(was, dict | bool):
        words = "is gone"
    else:
        words = "was {}, is now {}".format(*_shown(was, is_now))
    return Difference(section, f"{name} {words}".lstrip())


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


def is_file(word: str) -> bool:
    """Say whether the word is the address of a file that a stage reads or writes."""
    return word.startswith(("results/", "../", ".rungs/")) and not is_kept(word)


def _section(option: str, address: Sequence[str], stage: str) -> str:
    if option == "--architecture":
        return f"variants.{address[3]}"
    if option == "--budget":
        return f"budgets.{address[2]}"
    if option in _OWN_SECTION:
        return _name(option)
    if STAGES[stage].part == CORPUS:
        return f"corpora.{address[1]}"
    return "kernels" if stage == "kernel" else f"settings of {'/'.join(address)}"


def _name(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def _value(words: list[str]) -> Any:
    if len(words) != 1:
        return words
    try:
        return json.loads(words[0])
    except ValueError:
        return words[0]


def _changes(was: Any, is_now: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield path, old and new value of every leaf that differs, None for one that is missing."""
    before, now = _entries(was), _entries(is_now)
    if before is None or now is None:
        if was != is_now:
            yield path, was, is_now
        return
    for key in dict.fromkeys([*before, *now]):
        yield from _changes(before.get(key), now.get(key), (*path, key))
    if isinstance(was, list) and before.keys() == now.keys() and [*before] != [*now]:
        yield path, _ORDER, is_now


def _entries(value: Any) -> dict[str, Any] | None:
    """Return what is compared entry by entry, by its keys or names; None for a single value."""
    if isinstance(value, dict):
        return {str(key): entry for key, entry in value.items()}
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(entry, str) for entry in value):
        return dict.fromkeys(value, True)
    if not all(isinstance(entry, dict) for entry in value):
        return None
    # A counted model, a row of a table, a variant of a probe; two of one name are told by number.
    names = [str(entry.get("model", entry.get("variant"))) for entry in value]
    if len(set(names)) < len(names) or "None" in names:
        names = [str(index) for index in range(len(names))]
    return dict(zip(names, value, strict=True))


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
