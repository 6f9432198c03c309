"""Which functions of a submission are the library's own solution, under whatever names.

Source is compared in a normal form: syntax without comments, docstrings, annotations and the names
of variables, cut into overlapping pieces. Only pieces that a solved function has and the starter
does not have tell anything. It is a sign for a person to look at, never a verdict.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
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
    """The solved functions that a folder has too; one alone may be chance."""
    if not is_solution(solution):
        return []
    found = list(dict.fromkeys(copied(solution, folder)))
    return found if len(found) > 1 else []


def is_solution(files: Iterable[Path]) -> bool:
    """Whether files are ours; those without our marks belong to a student who has the grader."""
    return any(ONLY in path.read_text(encoding="utf-8") for path in files)


def copied(solution: Iterable[Path], folder: Path) -> list[str]:
    """The solved functions that the Python files of a folder have too."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        try:
            found |= {piece for _, pieces in _functions(read_text(path)) for piece in pieces}
        except (WherefromError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # a file that cannot be read is told of elsewhere
    names: list[str] = []
    for path in solution:
        text = read_text(path)
        given = {piece for _, pieces in _functions(blank(text, path.name)) for piece in pieces}
        for name, pieces in _functions(text):
            own = pieces - given
            if len(own) >= TELLING and len(own & found) >= SAME * len(own):
                names.append(name)
    return names


def _functions(source: str) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            name, words = node.name, _WORD.findall(ast.unparse(_Plain().visit(node)))
            ends = range(max(1, len(words) - PIECE + 1))
            yield name, {" ".join(words[i : i + PIECE]) for i in ends}


class _Plain(ast.NodeTransformer):
    """Variables and the function lose their names; attributes keep theirs."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("v", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg("v")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value or ast.Constant(None)
        return self.generic_visit(ast.Assign([node.target], value, lineno=node.lineno))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.decorator_list, node.returns = "f", [], None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)
