"""The whole model, from attention to logits, can be read in one sitting."""

import ast
import io
import tokenize
from pathlib import Path

import rungs.model
from rungs.code import reachable
from rungs.model.architecture import Architecture
from rungs.training.pieces import unused_by_model

FOLDER = Path(rungs.model.__file__).parent
MODEL = ("attention", "block", "language_model", "positions")
GPT = Architecture(
    width=256, depth=4, heads=4, mixer="attention", feed_forward=True,
    normalization="pre", positions="learned", position_rows=256,
)  # fmt: skip
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(path: Path) -> set[int]:
    """The numbers of the lines that are neither blank, nor a comment, nor documentation."""
    source = path.read_text()
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant):
                lines -= set(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return lines


def test_the_gpt_is_under_200_lines_of_one_folder() -> None:
    """What a GPT is made of: other encodings and mixers beside it do not count."""
    used = {part.name for part in reachable("rungs.model.language_model", unused_by_model(GPT))}
    lines = 0
    for name in MODEL:
        path = FOLDER / f"{name}.py"
        others = [
            range(node.lineno, (node.end_lineno or 0) + 1)
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name not in used
        ]
        lines += sum(not any(line in other for other in others) for line in lines_of_code(path))
    assert 100 < lines < 200


def test_these_files_are_the_whole_model() -> None:
    """What the GPT reaches from its embedding to its logits, the training loss left out."""
    parts = reachable("rungs.model.language_model", unused_by_model(GPT))
    modules = {part.module.removeprefix("rungs.model.") for part in parts if part.name}
    ours = {name for name in modules if (FOLDER / f"{name}.py").exists()}
    assert ours <= {*MODEL, "architecture", "cross_entropy"}
