"""The command line of a stage, read from the signature of its function.

A keyword-only parameter is an option, a positional-only one an argument; `Annotated` holds its
help, and its type says how the words are read.
"""

import argparse
import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from rungs.errors import UserError

Run = Callable[..., str]

WORDS = (str, int, float, Path, Fraction)
"""Types of one word. A value of any other is JSON, `bool` and `Literal` apart."""


class _Form(NamedTuple):
    type: Any
    """Of each word."""
    several: bool
    help: str | None

    @property
    def is_json(self) -> bool:
        return not (self.type in (*WORDS, bool) or get_origin(self.type) is Literal)


def declare(parser: argparse.ArgumentParser, run: Run) -> None:
    """Add an argument for each parameter of a stage; one without a default is required."""
    forms = _forms(run)
    for name, parameter in inspect.signature(run).parameters.items():
        form, required = forms[name], parameter.default is parameter.empty
        how: dict[str, Any] = {"help": form.help}
        if form.is_json and not form.help:
            how["help"] = f"JSON of {form.type.__name__}"
        if form.type is bool:
            how["action"] = "store_true"
        elif get_origin(form.type) is Literal:
            how["choices"] = get_args(form.type)
        elif form.type in WORDS:
            how["type"] = form.type
        if form.several:
            how["nargs"] = "+" if required else "*"
        if not required:
            how["default"] = parameter.default
        if parameter.kind is parameter.POSITIONAL_ONLY:
            parser.add_argument(name, **how)
        else:
            parser.add_argument(_option(name), required=required, **how)


def bind(run: Run, given: Mapping[str, Any]) -> inspect.BoundArguments:
    """Return what to call a stage with, JSON read.

    Args:
        run: the stage.
        given: the parsed command; what the stage has no parameter for is left out.

    Raises:
        UserError: it is not JSON, or not of the parameter's type; names the option and the first
            problem.
    """
    values = {
        name: _read(_option(name), form.type, given[name])
        if form.is_json and given[name] is not None
        else given[name]
        for name, form in _forms(run).items()
    }
    return inspect.BoundArguments(inspect.signature(run), values)


def _forms(run: Run) -> dict[str, _Form]:
    hints = get_type_hints(run, include_extras=True)
    return {name: _form(hints[name]) for name in inspect.signature(run).parameters}


def _form(hint: Any) -> _Form:
    words = None
    if get_origin(hint) is Annotated:
        hint, words = get_args(hint)
    if NoneType in get_args(hint):
        hint = get_args(hint)[0]
    if get_origin(hint) is Sequence and get_args(hint)[0] in WORDS:
        return _Form(get_args(hint)[0], True, words)
    return _Form(hint, False, words)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read(option: str, form: Any, text: str) -> Any:
    from pydantic import TypeAdapter, ValidationError  # slow to import, and few stages need it

    try:
        return TypeAdapter(form).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        raise UserError(": ".join(filter(None, [option, where, problem]))) from error
