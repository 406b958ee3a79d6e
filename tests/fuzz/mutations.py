"""Seeded damage: to structures, to bytes and to the words of a command."""

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HUGE = "huge"
"""In the description of an edit after which hours of work are what was asked for."""

SCALARS: Sequence[Any] = (
    None, True, False, 0, -1, 1, 2**31, 10**30, -(10**30), 0.5, -0.0, 1e308, math.inf, -math.inf,
    math.nan, "", " ", "0", "1e999", "nan", "null", "ladder", "../..", "a{b}", "a\nb", "\x1b[2J",
    "ä", "１２", "\u202eabc", "a" * 5000, [], {}, [[]], [None], {"": None}, {"a": {"b": {}}},
)  # fmt: skip
WORDS: Sequence[str] = (
    "", " ", "-", "--", "-1", "0", "1.5", "nan", "inf", "1e999", "１２", "2147483648", "9" * 30,
    "9" * 5000, "nowhere", "nowhere/x.json", ".", "..", "results", "results/runs", "logs", "empty",
    "loop", "/dev/null", "/proc/self/mem", "a" * 300, "ä", "\udcff", "[]", "{}", "[" * 9000,
    '{"a": NaN}', "null", "--log", "--code", "--help", "--output", "cuda", "true", "=", "a=b",
)  # fmt: skip
BYTES: Sequence[bytes] = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b'"', b",", b"NaN", b"Infinity",
    b"1e999", b"-", b"9" * 400, b"[" * 9000, b"{", b"\xed\xa0\x80", b"\xe2\x80\xae", b": ",
    b"&a *a",
)  # fmt: skip


def edited_tree(value: Any, chance: random.Random) -> tuple[Any, str]:
    """Return a copy of the structure with one place edited, and what was done."""
    whole = [json.loads(json.dumps(value))]
    places = list(_places(whole, ""))
    holder, key, path = chance.choice(places)
    others = [(h, k) for h, k, _ in places]
    kinds: list[Callable[[], str]] = [
        lambda: _put(holder, key, chance.choice(SCALARS)),
        lambda: _put(holder, key, _of_another_type(holder[key])),
        lambda: _drop(holder, key),
        lambda: _nest(holder, key, chance.choice((1, 2, 100))),
        lambda: _swap(holder, key, *chance.choice(others)),
        lambda: _rename(holder, key, chance),
        lambda: _scale(holder, key, chance),
    ]
    what = f"{path}: {chance.choice(kinds)()}"
    return whole[0] if whole else None, what


def edited_bytes(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """Return the content with one place damaged, and what was done."""
    at, to = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    match chance.randrange(7):
        case 0 if content:
            at = min(at, len(content) - 1)
            bit = 1 << chance.randrange(8)
            return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :], f"bit at {at}"
        case 1:
            return content[:at], f"cut at {at}"
        case 2:
            put = chance.choice(BYTES)
            return content[:at] + put + content[at:], f"{put[:20]!r} at {at}"
        case 3:
            return content[:at] + content[to:], f"{at} to {to} left out"
        case 4:
            return content[:to] + content[at:], f"{at} to {to} twice"
        case 5:
            return content.replace(b"\n", b"\r\n"), "CRLF"
        case _:
            return b"\xef\xbb\xbf" + content, "BOM"


def edited_words(words: Sequence[str], chance: random.Random) -> tuple[list[str], str]:
    """Return the command with one word edited, never its first, and what was done."""
    new = list(words)
    at = chance.randrange(1, len(new)) if len(new) > 1 else 0
    put = chance.choice(WORDS)
    match chance.randrange(5):
        case 0 if at:
            return new[:at] + new[at + 1 :], f"without {new[at][:40]}"
        case 1:
            return [*new[: at + 1], put, *new[at + 1 :]], f"{put[:40]!r} after {new[at][:40]}"
        case 2 if at:
            other = chance.randrange(1, len(new))
            new[at], new[other] = new[other], new[at]
            return new, f"{new[at][:40]} and {new[other][:40]} swapped"
        case 3 if at and new[at].startswith("{"):
            tree, what = edited_tree(json.loads(new[at]), chance)
            new[at] = json.dumps(tree)
            return new, f"in {words[at][:20]}: {what}"
        case _:
            new[at or 0] = put
            huge = f" ({HUGE})" if put.isdigit() and len(put) > 3 else ""
            return new, f"{put[:40]!r} for {words[at][:40]}{huge}"


def damage_file(path: Path, chance: random.Random) -> str:
    """Edit the structure of a JSON or CSV file or its bytes, or put something else there."""
    content = path.read_bytes()
    if chance.random() < 0.1:
        path.unlink()
        match chance.randrange(4):
            case 0:
                return f"{path}: gone"
            case 1:
                path.mkdir()
                return f"{path}: a folder"
            case 2:
                path.symlink_to(path)
                return f"{path}: a link to itself"
            case _:
                path.write_bytes(b"")
                return f"{path}: empty"
    new, what = _edited_content(path.suffix, content, chance)
    path.write_bytes(new)
    return f"{path}: {what}"


def _edited_content(suffix: str, content: bytes, chance: random.Random) -> tuple[bytes, str]:
    if chance.random() < 0.3:
        return edited_bytes(content, chance)
    try:
        if suffix == ".json":
            tree, what = edited_tree(json.loads(content), chance)
            return json.dumps(tree).encode(errors="surrogatepass"), what
        if suffix == ".jsonl":
            lines = content.splitlines()
            at = chance.randrange(len(lines))
            tree, what = edited_tree(json.loads(lines[at]), chance)
            lines[at] = json.dumps(tree).encode()
            return b"\n".join(lines) + b"\n", f"line {at + 1}: {what}"
        if suffix == ".csv":
            return _edited_table(content, chance)
    except (ValueError, IndexError, RecursionError):  # of an edit before this one
        pass
    return edited_bytes(content, chance)


def _edited_table(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    rows = [line.split(",") for line in content.decode().splitlines()]
    at = chance.randrange(len(rows))
    column = chance.randrange(len(rows[at]))
    match chance.randrange(4):
        case 0:
            what = f"row {at} left out"
            del rows[at]
        case 1:
            what = f"row {at} twice"
            rows.insert(at, rows[at])
        case 2:
            what = f"column {column} left out"
            rows = [[cell for i, cell in enumerate(row) if i != column] for row in rows]
        case _:
            put = str(chance.choice(SCALARS))
            what = f"row {at}, column {column}: {put[:40]!r}"
            rows[at][column] = put
    return "\n".join(map(",".join, rows)).encode() + b"\n", what


def _places(value: Any, path: str) -> Any:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key, f"{path}.{key}"
        yield from _places(value[key], f"{path}.{key}")


def _put(holder: Any, key: Any, value: Any) -> str:
    holder[key] = value
    return f"{HUGE} " * (isinstance(value, int) and value > 1000) + repr(value)[:60]


def _of_another_type(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return dict(enumerate(map(str, value))) if value else ""
    if isinstance(value, dict):
        return list(value)
    return str(value)


def _drop(holder: Any, key: Any) -> str:
    del holder[key]
    return "left out"


def _nest(holder: Any, key: Any, depth: int) -> str:
    for _ in range(depth):
        holder[key] = [holder[key]]
    return f"in {depth} lists"


def _swap(holder: Any, key: Any, other: Any, other_key: Any) -> str:
    first, second = json.dumps(holder[key]), json.dumps(other[other_key])
    other[other_key] = json.loads(first)
    if key in holder if isinstance(holder, dict) else key < len(holder):
        holder[key] = json.loads(second)
    return f"swapped with {other_key}"


def _rename(holder: Any, key: Any, chance: random.Random) -> str:
    if not isinstance(holder, dict):
        return _drop(holder, key)
    name = chance.choice(
        ("", "x", key + "s", key.upper(), "ä", "a.b", "a b", "__class__", "ladder")
    )
    holder[name] = holder.pop(key)
    return f"renamed {name!r}"


def _scale(holder: Any, key: Any, chance: random.Random) -> str:
    value = holder[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _put(holder, key, chance.choice(SCALARS))
    factor = chance.choice((-1, 0, 2, 0.5, 1.0001, 10**6))
    return _put(holder, key, value * factor)
