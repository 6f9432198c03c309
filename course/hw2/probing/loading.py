"""A submission of the homework, read: its files, its modules, and the definitions of notebooks.

The homework's files are no package, and the character model and the averaging network are often
notebooks whose cells download things. Of a notebook only imports, functions, classes and plain
values are executed; libraries that only its other cells need are stand-ins.
"""

import ast
import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from probing import texts
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.leniency import Nothing, StandIn
from wherefrom.course.doctor.submission import Submission, where

MODULES = ("sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural", "q1d_neural_lm")
CHARACTERS, AVERAGING, TRANSFORMER = "*char_rnn_generation.*", "*[dD][aA][nN].*", "*transformer.*"
_REAL = {  # what a notebook's definitions may need; anything else is a stand-in
    "torch", "numpy", "string", "random", "re", "time", "math", "dataclasses", "typing",
    "collections", "itertools", "functools", "json", "os", "copy", "__future__",
}  # fmt: skip
_TAKEN = ("*.py", "*.ipynb", "data_utils/*.py", "tests/*.py")
_SHOWN = 1000  # bytes kept of a file that is no notebook


def locate(folder: Path) -> Path:
    """The folder that has the homework's modules: this one, or one in it."""
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected a folder with a submission, found none")
    inside = [folder, *sorted(p for p in folder.iterdir() if p.is_dir())]
    held = [sum((p / f"{name}.py").is_file() for name in MODULES) for p in inside]
    if not any(held):
        raise MissingInput(
            f"{folder}: expected the homework's files ({', '.join(MODULES)}), found none of them"
        )
    return inside[held.index(max(held))].resolve()


def gather(folder: Path, into: Path) -> None:
    """Copy what is graded into one folder: programs, and notebooks without pictures and outputs.

    Notebooks may lie beside the folder of the modules; they keep their names.
    """
    for place in (folder, locate(folder)):  # what lies with the modules goes over the rest
        for path in (path for pattern in _TAKEN for path in place.glob(pattern)):
            goal = into / path.relative_to(place)
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(_bare(path) if path.suffix == ".ipynb" else path.read_bytes())


def _bare(notebook: Path) -> bytes:
    """The code cells of a notebook; what is none stays as it is, for the look to tell."""
    text = notebook.read_bytes()
    try:
        code = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
        bare = {"cells": [{k: c[k] for k in ("cell_type", "source")} for c in code]}
        return json.dumps(bare).encode()
    except (ValueError, KeyError, TypeError):
        return text[:_SHOWN]


def find(folder: Path, pattern: str) -> Path | None:
    """The program or notebook of that pattern; a program goes before a notebook."""
    found = [p for p in sorted(folder.glob(pattern)) if p.suffix in (".py", ".ipynb")]
    return min(found, key=lambda p: p.suffix != ".py", default=None)


def module(submission: Submission, name: str) -> ModuleType:
    """One of the homework's modules, imported from the submission's folder."""

    def load() -> ModuleType:
        if not (submission.folder / f"{name}.py").is_file():
            raise Finding("missing", f"{name}.py is not there")
        _prepare(submission)
        try:
            return importlib.import_module(name)
        except NotImplementedError:
            raise
        except (Exception, SystemExit) as error:
            said = where(error, submission.folder)
            raise Finding("import", f"{name}.py cannot be imported: {said}") from error

    return submission.once(("module", name), load)


def own(submission: Submission, name: str, *wanted: str) -> Any:
    """A function of a module, by the first of its names that is there."""
    held = module(submission, name)
    for each in wanted:
        if callable(found := getattr(held, each, None)):
            return found
    raise Finding("missing", f"{name}.py has no '{wanted[0]}'")


def _prepare(submission: Submission) -> None:
    """Let the homework's modules be found here, and no other submission's."""

    def prepare() -> bool:
        others = ("q3_char_rnn_generation", "q4_DAN", "data_utils", "data_utils.utils")
        for name in (*MODULES, *others):
            sys.modules.pop(name, None)
        sys.path[:] = [p for p in sys.path if not (Path(p) / "q1c_neural.py").is_file()]
        sys.path.insert(0, str(submission.folder))
        if not (submission.folder / "data_utils" / "utils.py").is_file():
            package = ModuleType("data_utils")
            package.utils = texts  # pyright: ignore
            sys.modules |= {"data_utils": package, "data_utils.utils": texts}
        return True

    submission.once("prepared", prepare)


def definitions(submission: Submission, pattern: str, what: str) -> dict[str, list[Any]]:
    """Every definition of a program or notebook by its name, the latest last."""
    path = find(submission.folder, pattern)
    if path is None:
        raise Finding("missing", f"no program or notebook of {what} ({pattern}) is there")
    if path.suffix == ".py":
        _prepare(submission)
        held = vars(submission.once(path, lambda: importlib.import_module(path.stem)))
        return {name: [value] for name, value in held.items()}
    found: dict[str, list[Any]] = {}
    space: dict[str, Any] = {"__name__": "notebook"}
    for node in _statements(path):
        _execute(node, space, path.name)
        name = getattr(node, "name", None)
        if name in space:
            found.setdefault(name, []).append(space[name])
    return found


def not_asked_for(folder: Path) -> str:
    """Why a submission need not have an averaging network: its hand-out asks for none."""
    if find(folder, TRANSFORMER):
        return "this hand-out has a transformer in the place of the averaging network"
    asked = folder / "tests" / "test_submission.py"
    if asked.is_file() and "dan" not in asked.read_text(encoding="utf-8", errors="replace").lower():
        return "this hand-out's own test asks for no averaging network"
    return ""


def _statements(path: Path) -> Iterator[ast.stmt]:
    """The statements of a notebook that define something; cells that are not Python are left."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise Finding("import", f"{path.name} is not a notebook: {error}") from None
    for source in sources:
        text = "\n".join("" if re.match(r"\s*[!%]", line) else line for line in source.split("\n"))
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        yield from (node for node in tree.body if _defines(node))


def _defines(node: ast.stmt) -> bool:
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    if isinstance(node, kinds):
        return True
    if not isinstance(node, ast.Assign):
        return False
    calls = [n for n in ast.walk(node.value) if isinstance(n, ast.Call)]
    return all(isinstance(c.func, ast.Name) and c.func.id in ("len", "range") for c in calls)


def _execute(node: ast.stmt, space: dict[str, Any], file: str) -> None:
    if isinstance(node, ast.Import | ast.ImportFrom):
        _import(node, space)
        return
    try:
        exec(compile(ast.Module([node], []), file, "exec"), space)
    except Exception:  # a value or a class that rests on what was not executed
        return


def _import(node: ast.Import | ast.ImportFrom, space: dict[str, Any]) -> None:
    base = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        top = (base or alias.name).split(".")[0]
        single = ast.ImportFrom(base, [alias], 0) if base else ast.Import([alias])
        name = alias.asname or (alias.name if base else top)
        try:
            if top not in _REAL:
                raise ImportError(top)
            tree = ast.fix_missing_locations(ast.Module([single], []))
            exec(compile(tree, "import", "exec"), space)
        except Exception:
            space[name] = Nothing if base else StandIn(name)
