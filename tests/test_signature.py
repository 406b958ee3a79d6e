"""The command line that follows from a stage's signature."""

import argparse
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from rungs.errors import UserError
from rungs.settings import Count, Settings
from rungs.signature import bind, declare


class Shape(Settings):
    width: Count
    rows: tuple[Count, ...] = ()


def stage(
    folder: Path,
    /,
    *,
    others: Sequence[int] = (),
    shape: Shape,
    files: Annotated[Sequence[Path], "in order"],
    share: Fraction = Fraction(1, 2),
    way: Literal["up", "down"] = "up",
    longest_window: int | None = None,
    labels: dict[str, str] | None = None,
    quick: bool = False,
) -> str:
    return "not run here: what is read is the signature"


def parsed(words: Sequence[str], run: Callable[..., str] = stage) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    declare(parser, run)
    return bind(run, vars(parser.parse_args(words)) | {"log": Path("not asked for")}).arguments


NEEDED = ["here", "--shape", '{"width": 3}', "--files", "a", "b"]


def test_words_become_what_the_types_say() -> None:
    assert parsed(NEEDED) == {
        "folder": Path("here"), "others": (), "shape": Shape(width=3),
        "files": [Path("a"), Path("b")], "share": Fraction(1, 2), "way": "up",
        "longest_window": None, "labels": None, "quick": False,
    }  # fmt: skip
    more = ["--longest-window", "7", "--labels", '{"a": "A"}', "--quick", "--way", "down"]
    found = parsed([*NEEDED, *more, "--share", "0.1", "--others"])
    assert found == parsed(NEEDED) | {
        "longest_window": 7, "labels": {"a": "A"}, "quick": True, "way": "down",
        "share": Fraction(1, 10), "others": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [NEEDED[1:], NEEDED[:3], NEEDED[:4], [*NEEDED, "--way", "left"], [*NEEDED, "--others", "x"]],
)
def test_words_that_lack_or_do_not_fit_end_with_the_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        parsed(words)
    assert leaving.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{x", "--shape: Invalid JSON"),
        ("{}", "--shape: width: Field required"),
        ('{"width": 1, "rows": [1, 0]}', "--shape: rows.1: "),
        ('{"width": true}', "--shape: width: a number is expected"),
    ],
)
def test_settings_that_do_not_fit_are_named_in_one_line(text: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem) as refused:
        parsed([*NEEDED[:2], text, *NEEDED[3:]])
    assert "\n" not in str(refused.value)


def test_the_help_of_an_option_is_what_annotates_it() -> None:
    parser = argparse.ArgumentParser()
    declare(parser, stage)
    assert "in order" in parser.format_help()
    assert "JSON of Shape" in parser.format_help()
