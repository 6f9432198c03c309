"""Which functions of a submission are the library's own solution, under whatever names.

Source is compared in a normal form: syntax without comments, docstrings, annotations, strings,
numbers and the names of variables, cut into overlapping pieces. Only pieces that a solved function
has and the starter does not have tell anything. It is a sign for a person to look at, never a
verdict.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.starter import ONLY, blank

PIECE = 16  # words of the normal form: shorter ones are in everybody's code
TELLING = 8  # pieces: a function with fewer of its own is written in one way only
OURS = "this is the library's own solution, or a copy of it"
SAME = 0.8  # the share of a function's own pieces that makes a copy of it
_WORD = re.compile(r"\w+|[^\w\s]")


def own_functions(solution: Sequence[Path], folder: Path) -> list[str]:
    """The solved functions that the Python files of a folder have too; one alone may be chance."""
    if not is_solution(solution):
        return []
    found = {piece for tree in trees(folder) for _, pieces in _functions(tree) for piece in pieces}
    names: dict[str, None] = {}
    for path in solution:
        text = read_text(path)
        starter = _functions(ast.parse(blank(text, path.name)))
        given = {piece for _, pieces in starter for piece in pieces}
        for name, pieces in _functions(ast.parse(text)):
            own = pieces - given
            if len(own) >= TELLING and len(own & found) >= SAME * len(own):
                names[name] = None
    return list(names) if len(names) > 1 else []


def is_solution(files: Iterable[Path]) -> bool:
    """Whether files are ours; those without our marks belong to a student who has the grader."""
    return any(ONLY in path.read_text(encoding="utf-8") for path in files)


def trees(folder: Path) -> Iterator[ast.Module]:
    """Of all Python files in it; those that cannot be read are told of elsewhere."""
    for path in sorted(folder.rglob("*.py")):
        with suppress(WherefromError, SyntaxError, ValueError, RecursionError, MemoryError):
            yield ast.parse(read_text(path))


def _functions(tree: ast.AST) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, set(pieces(deepcopy(node), PIECE))


def pieces(tree: ast.AST, size: int) -> list[str]:
    """The normal form's overlapping pieces, of so many words each."""
    words = _WORD.findall(ast.unparse(_Plain().visit(tree)))
    return [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]


class _Plain(ast.NodeTransformer):
    """Variables and functions lose their names; attributes keep theirs."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("v", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg("v")

    def visit_Constant(self, node: ast.Constant | ast.JoinedStr) -> ast.AST:
        return ast.Constant(0)

    visit_JoinedStr = visit_Constant

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value or ast.Constant(None)
        return self.generic_visit(ast.Assign([node.target], value, lineno=node.lineno))

    def visit_Module(self, node: ast.FunctionDef | ast.ClassDef | ast.Module) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if not isinstance(node, ast.Module):
            node.name = "f"
        if isinstance(node, ast.FunctionDef):
            node.decorator_list, node.returns = [], None
        return self.generic_visit(node)

    visit_FunctionDef = visit_ClassDef = visit_Module
