"""Holds the budget of lines of code, the table [tool.wherefrom.lines] of pyproject.toml.

    python scripts/budget.py            # what `make check` calls: the table, then what is over it

A line of code is a line that is neither blank nor a comment nor part of a docstring, so
explanations are free; statements joined by a semicolon count each. A row of the table has a
place, its budget and the goal: a room of the package (`cli` with the modules beside the rooms),
a folder beside the package, the page's JavaScript (all lines) and docs/ (words of Markdown).
"""

import ast
import io
import sys
import token
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "src/wherefrom"
SCRIPTS = f"{PACKAGE}/show/page/js"
OUTSIDE = ("tests", "benchmarks", "course", "studies", "scripts")
LONGEST = 400  # lines of code of a file: past that, look for the second idea in it
NOT_OURS = {"node_modules", "__pycache__"}
_SILENT = {
    tokenize.COMMENT, tokenize.NL, token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER,
}  # fmt: skip
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def count_code(source: str) -> int:
    lines, joined = set[int](), 0
    for each in tokenize.generate_tokens(io.StringIO(source).readline):
        if each.type not in _SILENT:
            joined += each.type == token.OP and each.string == ";"
            lines.update(range(each.start[0], each.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines) + joined


def find(root: Path, place: str, pattern: str) -> list[Path]:
    files = sorted((root / place).glob(pattern))
    return [file for file in files if not NOT_OURS & set(file.relative_to(root).parts)]


def count_files(root: Path) -> dict[str, int]:
    """The lines of code of every Python file, by its path from the root."""
    files = [f for place in ("src", *OUTSIDE) for f in find(root, place, "**/*.py")]
    return {f.relative_to(root).as_posix(): count_code(f.read_text("utf-8")) for f in files}


def room(name: str) -> str:
    """The row of the table that a file counts in; api.py counts with the commands."""
    if not name.startswith(f"{PACKAGE}/"):
        return name.partition("/")[0]
    inner = name.removeprefix(f"{PACKAGE}/")
    return f"{PACKAGE}/{inner.partition('/')[0] if '/' in inner else 'cli'}"


def measure(root: Path) -> dict[str, int]:
    """What every row of the table is compared with."""
    found = Counter[str](dict.fromkeys(OUTSIDE, 0))
    for name, lines in count_files(root).items():
        found[room(name)] += lines
        found[PACKAGE] += name.startswith(f"{PACKAGE}/") * lines
    scripts, docs = find(root, SCRIPTS, "**/*.js"), find(root, "docs", "**/*.md")
    found[SCRIPTS] = sum(len(file.read_text("utf-8").splitlines()) for file in scripts)
    found["docs"] = sum(len(page.read_text("utf-8").split()) for page in docs)
    return dict(found)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def count_structure(root: Path) -> dict[str, int]:
    """Of the package: files, dataclasses with Structs, modules that one other module imports."""
    files = find(root, PACKAGE, "**/*.py")
    trees = {f.relative_to(root / "src"): ast.parse(f.read_text("utf-8")) for f in files}
    classes = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    records = {"Struct"}
    for _ in range(3):  # a Struct's own subclasses, and theirs
        records |= {c.name for c in classes if any(_last(b) in records for b in c.bases)}
    marked = {c.name for c in classes if any(_last(d) == "dataclass" for d in c.decorator_list)}
    modules = {".".join(path.with_suffix("").parts): path for path in trees}
    importers = Counter[str]()
    for path, tree in trees.items():
        names = {m for n in imported(tree) for m in (n, n.rpartition(".")[0]) if m in modules}
        importers.update(name for name in names if modules[name] != path)
    return {
        "files": len(files),
        "dataclasses and Structs": len((records - {"Struct"}) | marked),
        "modules with one importer": sum(count == 1 for count in importers.values()),
    }


def _last(node: ast.expr) -> str:
    """`dataclass` of `dataclasses.dataclass(frozen=True)`, `Struct` of `msgspec.Struct`."""
    node = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(node).rpartition(".")[2]


def find_faults(found: dict[str, int], table: dict[str, list[int]], files: dict[str, int]):
    """One line for each thing that the table does not allow, or no longer needs."""
    faults = [f"{name}: {found[name]}, not in the table" for name in found.keys() - table.keys()]
    faults += [f"{name}: in the table, but not there" for name in table.keys() - found.keys()]
    faults += [
        f"{name}: {found[name]}, budget {table[name][0]}"
        for name in found.keys() & table.keys()
        if found[name] > table[name][0]
    ]
    faults += [
        f"{name}: {lines} lines of code, at most {LONGEST} for a file"
        for name, lines in files.items()
        if lines > LONGEST
    ]
    return sorted(faults)


def main(root: Path = Path(__file__).parents[1]) -> int:
    with (root / "pyproject.toml").open("rb") as file:
        table = tomllib.load(file)["tool"]["wherefrom"]["lines"]
    found = measure(root)
    print(f"{'lines of code':28}{'now':>7}{'budget':>8}{'goal':>8}")
    for name, (budget, goal) in table.items():
        print(f"{name:28}{found.get(name, 0):7,}{budget:8,}{goal:8,}")
    print(*(f"{what}: {count}" for what, count in count_structure(root).items()), sep=", ")
    faults = find_faults(found, table, count_files(root))
    if faults:
        print("over the budget ([tool.wherefrom.lines] in pyproject.toml):", *faults, sep="\n  ")
        print("take something away, or raise the number in this commit and say why")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
