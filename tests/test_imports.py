"""Who may import whom, read from the source: text flows one way, and so do the imports."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import wherefrom

SOURCE = Path(wherefrom.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
COURSE = Path(__file__).parents[1] / "course"

# Each room may import those named here; the order is that in which text flows. A folder of a room
# that has a line of its own goes by that line.
_TO_EVALUATION = {
    "core", "reading", "data", "objectives", "models", "training", "generation", "evaluation",
}  # fmt: skip
_TO_RUNS = _TO_EVALUATION | {"runs"}
_TO_MEMORISATION = _TO_RUNS | {"answering", "memorisation"}
ALLOWED = {
    "core": set(),
    "reading": {"core"},
    "data": {"core", "reading"},
    "models": {"core"},
    "training": {"core"},
    "generation": {"core", "training"},  # ranks divide what is decoded and read
    "objectives": {"core", "reading", "data"},
    "evaluation": {"core", "reading", "generation"},
    "runs": _TO_EVALUATION,
    "answering": _TO_RUNS,
    "memorisation": _TO_RUNS | {"answering"},
    "experiments/recipes": _TO_RUNS,
    # Whatever writes a picture hands its numbers over to here.
    "show/drawing": {"core", "evaluation", "memorisation"},
    "experiments": _TO_MEMORISATION | {"experiments/recipes", "show/drawing"},
    "auditing": _TO_MEMORISATION | {"experiments/recipes", "show/drawing", "experiments"},
    "show": _TO_MEMORISATION | {"experiments/recipes", "show/drawing", "experiments", "auditing"},
    # The doctor needs the course's data, which the user's list of data sets knows where to find.
    # It compares models with the library's own.
    "course": {"core", "data", "models", "evaluation", "runs", "show/drawing"}
    | {"experiments", "show"},
}
EVERYTHING_BUT_CLI = set(ALLOWED) | {"api"}


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All below a node; those within expressions are left out, where no import can stand."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from statements(inner)


def imported(tree: ast.Module, package: str) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file: whole dotted names."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level]
            start = ".".join([*(base if node.level else []), *filter(None, [node.module])])
            # `from wherefrom import cli` names a room only in its last part.
            yield from (f"{start}.{alias.name}" for alias in node.names)


def package_of(path: Path) -> str:
    return ".".join(["wherefrom", *path.parent.relative_to(SOURCE).parts])


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    return frozenset(imported(parse(path), package_of(path)))


def rooms(path: Path) -> set[str]:
    """What a file imports of ours: rooms, or modules beside them; its own room is left out."""
    names = (n.split(".") for n in imports(path))
    found = {room(parts[1:]) for parts in names if parts[0] == "wherefrom" and len(parts) > 1}
    return found - {room(path.relative_to(SOURCE).parts)}


def room(parts: Sequence[str]) -> str:
    """The line of the table that a module goes by."""
    inner = "/".join(parts[:2])
    return inner if inner in ALLOWED else parts[0]


def allowed(path: Path) -> set[str]:
    parts = path.relative_to(SOURCE).parts
    if len(parts) == 1:  # beside the rooms
        return {*EVERYTHING_BUT_CLI, "cli"} if parts[0] == "__main__.py" else EVERYTHING_BUT_CLI
    if parts[0] == "cli":
        return EVERYTHING_BUT_CLI
    return ALLOWED[room(parts)]


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_every_room_is_known():
    folders = {p.relative_to(SOURCE).parts[0] for p in FILES if p.parent != SOURCE}
    assert folders == {line for line in ALLOWED if "/" not in line} | {"cli"}
    assert all((SOURCE / line).is_dir() for line in ALLOWED)


def test_a_file_name_stands_for_one_thing():
    """Commands have the names that users type, and a solution those of the course."""
    own = [p for p in FILES if p.name != "__init__.py" and "cli" not in p.parts]
    names = sorted(p.name for p in own)
    assert [name for name, after in pairwise(names) if name == after] == []


def test_imports_go_one_way():
    upwards = {name(path): rooms(path) - allowed(path) for path in FILES}
    assert {path: found for path, found in upwards.items() if found} == {}


def test_the_table_has_no_circle():
    """Rooms can be put in an order in which each imports only earlier ones: no arrow goes up."""
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert set(order) == set(ALLOWED)
    for room, below in ALLOWED.items():
        assert all(order.index(other) < order.index(room) for other in below)


def test_no_two_modules_import_each_other():
    """Between files, too: what is imported under TYPE_CHECKING counts."""
    modules = {f"{package_of(p)}.{p.stem}": p for p in FILES if p.name != "__init__.py"}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        found = {m for n in imports(path) for m in (n, n.rpartition(".")[0]) if m in modules}
        graph[module] = found - {module}
    assert len(graph) > 150
    assert list(TopologicalSorter(graph).static_order())


def test_the_course_imports_the_package_and_none_of_its_commands():
    wrong = []
    for path in COURSE.rglob("*.py"):
        names = (n.split(".") for n in imported(parse(path), "course"))
        found = {n[1] for n in names if n[0] == "wherefrom" and n[1:]}
        wrong += [f"{path.name}: {other}" for other in found - EVERYTHING_BUT_CLI]
    assert wrong == []


def declared() -> tuple[set[str], set[str]]:
    """The packages that `pip install wherefrom` brings, and those that an extra brings."""
    project = tomllib.loads((COURSE.parent / "pyproject.toml").read_text())["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.match(r"[\w.-]+", line).group() for line in requirements}

    extras = project["optional-dependencies"]
    of_users = [names(lines) for extra, lines in extras.items() if extra != "dev"]
    return names(project["dependencies"]), set().union(*of_users)


# What those have who need it: for notebooks, beside lm-evaluation-harness.
AT_HAND = {"pandas", "datasets"}


def test_what_is_imported_is_installed():
    """At the top of a file: a dependency. In a function: also a package of an extra."""
    needed, extra = declared()
    here = {p.stem for p in COURSE.rglob("*.py")} | {p.name for p in COURSE.rglob("*/")}
    known = sys.stdlib_module_names | here | needed | AT_HAND | {"wherefrom", ""}
    wrong = []
    for path in [*FILES, *COURSE.rglob("*.py")]:
        tree = parse(path)
        at_the_top = set(imported(ast.Module([n for n in tree.body if not _later(n)], []), "."))
        for found in imported(tree, "."):
            package = found.split(".")[0]
            if package not in known and (found in at_the_top or package not in extra):
                wrong.append(f"{path.name}: {package}")
    assert wrong == []


def _later(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def test_drawing_happens_in_one_place():
    """The lab puts its figures together from panels that are drawn there, like any other user."""
    drawing = {name(p) for p in FILES if any(n.split(".")[0] == "matplotlib" for n in imports(p))}
    assert "show/drawing/figures.py" in drawing
    assert {n for n in drawing if not n.startswith(("show/drawing/", "course/lab/"))} == set()


def test_the_core_names_no_torch():
    core = {path.name: imports(path) for path in FILES if path.parent == SOURCE / "core"}
    assert len(core) > 5
    assert [n for n, names in core.items() if any(m.split(".")[0] == "torch" for m in names)] == []


def test_no_file_is_called_after_nothing():
    nothing = {"utils", "util", "helpers", "helper", "common", "misc"}
    parts = {p: {part.strip("_") for part in Path(name(p)).with_suffix("").parts} for p in FILES}
    assert [name(p) for p in FILES if parts[p] & nothing] == []
    assert [name(p) for p in FILES if p.stem.endswith(("_v2", "_new", "_old"))] == []


def is_handing_on(node: ast.stmt, top: bool) -> bool:
    """A docstring, imports, `__all__`; the top may load its names when they are first used, and
    must set what torch reads before torch is loaded."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or (
            top and ast.unparse(node) == "prepare_library()"
        )
    if isinstance(node, ast.Assign):
        return [ast.unparse(target) for target in node.targets] == ["__all__"] or (
            top and ast.unparse(node.targets[0]) == "_MODULES"
        )
    if isinstance(node, ast.If):
        only_imports = all(isinstance(inner, ast.Import | ast.ImportFrom) for inner in node.body)
        return ast.unparse(node.test) == "TYPE_CHECKING" and only_imports
    return top and isinstance(node, ast.FunctionDef) and node.name in ("__getattr__", "__dir__")


def test_packages_hold_nothing_but_what_they_hand_on():
    wrong = []
    for path in (path for path in FILES if path.name == "__init__.py"):
        nodes = (n for n in parse(path).body if not is_handing_on(n, top=path.parent == SOURCE))
        wrong += [f"{name(path)}:{node.lineno}" for node in nodes]
    assert wrong == []
