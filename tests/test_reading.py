"""A damaged file is named, with the first thing that is wrong in it and a way out."""

import math
from pathlib import Path

import pytest
from pydantic import BaseModel

from rungs.errors import UserError
from rungs.files import write_text
from rungs.reading import read_object, reading


class Form(BaseModel):
    steps: int


def test_a_value_of_another_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text, problem in {
        '{"steps": "x"}': "a.json: steps: Input should be a valid integer",
        "{}": "a.json: steps: Field required",
    }.items():
        write_text(path, text)
        with pytest.raises(UserError, match=f"{problem}.*; delete it and run again"), reading(path):
            Form.model_validate(read_object(path))


def test_what_a_block_cannot_use_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text, problem in {
        "{}": "a.json: has no b; get it",
        '{"b": null}': "a.json: is damaged: a value is of another kind than is written there; get",
        '{"b": {"c": "x"}}': r"a.json: is damaged \(invalid literal for int.*\); get it",
    }.items():
        write_text(path, text)
        with pytest.raises(UserError, match=problem), reading(path, "get it"):
            int(read_object(path)["b"]["c"])
    with pytest.raises(UserError, match=r"a\.json: is damaged: a value is of"), reading(path):
        math.exp(1e6)
    write_text(path, "[]")
    with pytest.raises(UserError, match=r"a\.json: is damaged, no JSON object"):
        read_object(path)


def test_a_defect_elsewhere_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), reading(tmp_path / "a.json"):
        print(1 / 0)
    with pytest.raises(UserError, match=r"^another$"), reading(tmp_path / "a.json"):
        raise UserError("another")
