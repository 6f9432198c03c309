"""Whose code a submission has: the library's own solution, or what another submission has too.

Source is compared in a normal form: syntax without comments, docstrings, annotations, strings,
numbers and the names of variables, cut into overlapping pieces. Winnowing (Schleimer, Wilkerson and
Aiken, 2003) takes fingerprints: of every few neighbouring pieces the one with the smallest hash is
kept, so any shared stretch of some length is found. What was handed out tells nothing. All of it is
a sign for a person to look at, never a verdict.
"""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.starter import ONLY, blank

PIECE, WINDOW = 12, 8  # words, and pieces of them: a shared stretch of 19 words is always found
OURS = "this is the library's own solution, or a copy of it"
TELLING = 4  # fingerprints: a function with fewer of its own is written in one way only
SAME = 0.8  # the share of a function's own fingerprints that makes a copy of it
SHARE, FEWEST = 0.4, 12  # of the smaller one's fingerprints: below, code is alike by chance
SOLUTION = "the library's solution"
_WORD = re.compile(r"\w+|[^\w\s]")


def own_functions(solution: Sequence[Path], folder: Path) -> list[str]:
    """The solved functions that the Python files of a folder have too; one alone may be chance."""
    if not is_solution(solution):
        return []
    found = own_fingerprints(folder)
    names: dict[str, None] = {}
    for text in map(read_text, solution):
        given = fingerprints(ast.parse(blank(text)))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                own = fingerprints(node) - given
                if len(own) >= TELLING and len(own & found) >= SAME * len(own):
                    names[node.name] = None
    return list(names) if len(names) > 1 else []


def is_solution(files: Iterable[Path]) -> bool:
    """Whether files are ours; those without our marks belong to a student who has the grader."""
    return any(ONLY in path.read_text(encoding="utf-8") for path in files)


def own_fingerprints(folder: Path) -> set[int]:
    """Of all Python files in it; those that cannot be read are named elsewhere."""
    found = set[int]()
    for path in folder.rglob("*.py"):
        with suppress(WherefromError, SyntaxError, ValueError, RecursionError, MemoryError):
            found |= fingerprints(ast.parse(read_text(path)))
    return found


def fingerprints(tree: ast.AST) -> set[int]:
    words = _WORD.findall(ast.unparse(_Plain().visit(deepcopy(tree))))
    pieces = [" ".join(words[i : i + PIECE]) for i in range(len(words) - PIECE + 1)]
    digests = (hashlib.blake2b(piece.encode(), digest_size=8) for piece in pieces)
    hashes = [int.from_bytes(digest.digest()) for digest in digests]
    return {min(hashes[i : i + WINDOW]) for i in range(max(0, len(hashes) - WINDOW + 1))}


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


# -- submissions beside each other -----------------------------------------------------------------


def alike(
    submissions: Mapping[str, set[int]], ours: set[int], given: Iterable[set[int]]
) -> list[dict[str, Any]]:
    """The pairs to read, the most alike first; what more than half of a class has is no sign.

    A row has the two names, the share of the smaller one's fingerprints that the other has too,
    how many these are, and of how many.
    """
    usual = set[int]().union(*given)
    if len(submissions) > 4:
        having = Counter(f for own in submissions.values() for f in own)
        usual |= {f for f, count in having.items() if 2 * count > len(submissions)} - ours
    own = {name: found - usual for name, found in {**submissions, SOLUTION: ours}.items()}
    rows: list[dict[str, Any]] = []
    for first, second in combinations(own, 2):
        shared, of = len(own[first] & own[second]), min(len(own[first]), len(own[second]))
        if of >= FEWEST and shared >= SHARE * of:
            rows.append({"first": first, "second": second, "share": round(shared / of, 2),
                         "shared": shared, "of": of})  # fmt: skip
    return sorted(rows, key=lambda row: (-row["shared"] / row["of"], row["first"], row["second"]))
