"""Digests of files and of text."""

import hashlib
from pathlib import Path


def file_digest(path: Path) -> str:
    """Return the SHA-256 of the file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_digest(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
<<<<<<< HEAD
=======


@cache
def code_digest(*modules: str) -> str:
    """Return a digest of what the modules compute: theirs and all project code they import.

    Comments, docstrings and formatting do not count; data files of the package do not either,
    a rule that reads one names it as an input.

    Args:
        modules: dotted names such as ``rungs.training.stage``.
    """
    closure: set[str] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in closure:
            closure.add(module)
            pending += _project_imports(module)
    return text_digest("\n".join(f"{name} {_tree_digest(name)}" for name in sorted(closure)))[:16]


def _source(module: str) -> Path | None:
    """Return the file of a project module, or None if there is no such module."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    candidates = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in candidates if file.is_file()), None)


@cache
def _tree(module: str) -> ast.Module:
    source = _source(module)
    assert source is not None, f"{module} is not a module of this project"
    return ast.parse(source.read_bytes(), filename=str(source))


@cache
def _tree_digest(module: str) -> str:
    tree = _tree(module)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A docstring, or a string that documents a field: neither is computed with.
            node.body = [  # type: ignore[attr-defined]
                statement for statement in body if not _is_bare_string(statement)
            ]
    return text_digest(ast.dump(tree))


def _is_bare_string(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


@cache
def _project_imports(module: str) -> tuple[str, ...]:
    """Return every project module that ``module`` names in an import, and their packages."""
    return tuple(_named_imports(module))


def _named_imports(module: str) -> Iterator[str]:
    parents = module.split(".")[:-1]
    for length in range(1, len(parents) + 1):
        yield ".".join(parents[:length])
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if _source(a.name) and _ours(a.name))
        elif isinstance(node, ast.ImportFrom) and (node.level or not node.module):
            raise AssertionError(f"{module}: a relative import; name the module in full")
        elif isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
            yield node.module
            members = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (member for member in members if _source(member))


def _ours(module: str) -> bool:
    return module.split(".")[0] == PACKAGE.name
>>>>>>> 356c5f2 (Plan before, watch during: FLOPs from the configuration, a calibrated prediction, longest runs first, one line a job)
