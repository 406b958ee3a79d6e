"""Digests of code: of every definition that a stage can reach, and of nothing else."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeGuard

from rungs.digest import text_digest

PACKAGE = Path(__file__).parent
DYNAMIC = ("import_module", "__import__")
GUARD = "guard"
"""The decorator of `rungs.errors` whose functions compute nothing."""
MODULE_LEVEL = ""
"""Stands for the statements of a module that run on import and define no single name."""


@dataclass(frozen=True, order=True)
class Definition:
    """A top-level function, class, constant or borrowed name of a module, or its module level."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module


@cache
def code_digest(module: str, without: frozenset[Definition] = frozenset()) -> str:
    """Return a digest of what a stage's module computes with.

    Comments, docstrings, formatting, guards and definitions that the stage cannot reach do not
    count; data files of the package do not either, a rule that reads one names it as an input.

    Args:
        module: dotted name, such as ``rungs.training.train``.
        without: definitions that this use of the module does not call.

    Raises:
        AssertionError: a module does not exist, or imports in a way that reading cannot follow.
    """
    parts = reachable(module, without)
    return text_digest("\n".join(f"{part} {digest}" for part, digest in parts.items()))[:16]


@cache
def reachable(module: str, without: frozenset[Definition] = frozenset()) -> dict[Definition, str]:
    """Return every definition that ``module`` can reach by name, with its digest, sorted.

    Names are followed, not calls: what is mentioned counts. Importing a module also reaches its
    module level, and that of its packages.
    """
    found: set[Definition] = set()
    pending = list(_whole(module))
    while pending:
        part = pending.pop()
        if part not in found and part not in without:
            found.add(part)
            pending += _references(part)
    return {part: _digest(part) for part in sorted(found)}


@dataclass
class _Module:
    """A parsed module, its statements by the name they define."""

    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, set[Definition]] = field(default_factory=dict)
    """Local names, and what they may be bound to; a bare module has no definition's name."""
    guards: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    """Every project module that is imported anywhere in the module."""


def _source(module: str) -> Path | None:
    """Return the file of a project module, or None if there is no such module."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    candidates = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in candidates if file.is_file()), None)


@cache
def _parse(module: str) -> _Module:
    source = _source(module)
    assert source is not None, f"{module} is not a module of this project"
    tree = ast.parse(source.read_bytes(), filename=str(source))
    parsed = _Module(definitions={MODULE_LEVEL: []})
    parsed.guards = {statement.name for statement in tree.body if _is_guard(statement)}
    _leave_out(tree, _is_bare_string, _is_guard)
    for statement in tree.body:
        names = _defined_names(statement)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _calls(statement):
            names = {*names, MODULE_LEVEL}  # the call happens on import, whoever reads its value
        for name in names:
            parsed.definitions.setdefault(name, []).append(statement)
    for node in ast.walk(tree):
        called = getattr(node, "attr", getattr(node, "id", getattr(node, "name", "")))
        assert called not in DYNAMIC, f"{module}: a dynamic import; import statements are followed"
        if isinstance(node, ast.Import | ast.ImportFrom):
            _add_import(parsed, module, node)
    return parsed


def _defined_names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return set()
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    if targets and all(isinstance(target, ast.Name) for target in targets):
        return {target.id for target in targets if isinstance(target, ast.Name)}
    return {MODULE_LEVEL}


def _calls(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _add_import(parsed: _Module, module: str, node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            local = alias.asname or alias.name.split(".")[0]
            if _ours(alias.name):
                parsed.modules.add(alias.name)
                parsed.imports.setdefault(local, set()).add(Definition(alias.name, MODULE_LEVEL))
            else:
                parsed.definitions.setdefault(local, []).append(ast.Import([alias]))
        return
    assert node.module, f"{module}: a relative import; name the module in full"
    assert not node.level, f"{module}: a relative import; name the module in full"
    if not _ours(node.module):
        for alias in node.names:
            one = ast.ImportFrom(node.module, [alias], 0)
            parsed.definitions.setdefault(alias.asname or alias.name, []).append(one)
        return
    parsed.modules.add(node.module)
    for alias in node.names:
        assert alias.name != "*", f"{module}: a star import; name what is imported"
        member = f"{node.module}.{alias.name}"
        is_module = _source(member) is not None
        if is_module:
            parsed.modules.add(member)
        target = Definition(member, MODULE_LEVEL) if is_module else Definition(
            node.module, alias.name
        )  # fmt: skip
        parsed.imports.setdefault(alias.asname or alias.name, set()).add(target)


def _ours(module: str) -> bool:
    return module.split(".")[0] == PACKAGE.name


def _whole(module: str) -> Iterator[Definition]:
    for name in _parse(module).definitions:
        yield Definition(module, name)


def _references(part: Definition) -> Iterator[Definition]:
    """Yield what a definition mentions, and what its module runs on import."""
    parsed = _parse(part.module)
    yield Definition(part.module, MODULE_LEVEL)
    packages = part.module.split(".")[:-1]
    for length in range(1, len(packages) + 1):
        yield Definition(".".join(packages[:length]), MODULE_LEVEL)
    if part.name == MODULE_LEVEL:
        yield from (Definition(module, MODULE_LEVEL) for module in parsed.modules)
    for statement in parsed.definitions[part.name]:
        yield from _mentioned(statement, part.module, parsed)


def _mentioned(node: ast.AST, module: str, parsed: _Module) -> Iterator[Definition]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr == "__subclasses__":
            yield from _subclasses(node.value.id, module, parsed)
        bound = parsed.imports.get(node.value.id, set())
        if bound and all(target.name == MODULE_LEVEL for target in bound):
            for target in bound:
                yield from _resolve(target.module, node.attr)
            return
    names = []
    if isinstance(node, ast.Name):
        names = [node.id]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        names = [node.value]  # a forward reference
    for name in names:
        if name != MODULE_LEVEL and (name in parsed.definitions or name in parsed.imports):
            yield from _resolve(module, name)
    for child in ast.iter_child_nodes(node):
        yield from _mentioned(child, module, parsed)


def _subclasses(base: str, module: str, parsed: _Module) -> Iterator[Definition]:
    """Yield the classes that ``base.__subclasses__()`` lists, of the module that calls it."""
    for name, statements in parsed.definitions.items():
        for statement in statements:
            if isinstance(statement, ast.ClassDef) and any(
                isinstance(other, ast.Name) and other.id == base for other in statement.bases
            ):
                yield Definition(module, name)


def _resolve(module: str, name: str) -> Iterator[Definition]:
    parsed = _parse(module)
    if name in parsed.definitions:
        yield Definition(module, name)
    elif name in parsed.imports:
        for target in parsed.imports[name]:
            if target.name == MODULE_LEVEL:
                yield from _whole(target.module)
            else:
                yield from _resolve(target.module, target.name)
    elif name in parsed.guards:
        return
    elif _source(f"{module}.{name}"):
        yield from _whole(f"{module}.{name}")
    else:
        yield from _whole(module)


@cache
def _digest(part: Definition) -> str:
    statements = _parse(part.module).definitions[part.name]
    return text_digest("\n".join(ast.dump(statement) for statement in statements))


def _leave_out(tree: ast.Module, *kinds: Callable[[ast.stmt], bool]) -> None:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                statement for statement in body if not any(kind(statement) for kind in kinds)
            ]


def _is_guard(statement: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(statement, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id == GUARD
        for decorator in statement.decorator_list
    )


def _is_bare_string(statement: ast.stmt) -> bool:
    # A docstring, or a string that documents a field: neither is computed with.
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
