"""A submission of the homework, read: its files, its modules, and the definitions of notebooks.

The homework's files are no package, and the character model and the averaging network are often
notebooks whose cells download things. Of these two only imports, functions, classes and plain
values are executed; libraries that are not installed have stand-ins.
"""

import ast
import importlib
import json
import re
import runpy
import sys
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from probing import texts
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.leniency import StandIn
from wherefrom.course.doctor.submission import Submission, where

MODULES = ("sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural", "q1d_neural_lm")
CHARACTERS, AVERAGING, TRANSFORMER = "*char_rnn_generation.*", "*[dD][aA][nN].*", "*transformer.*"
RIGHT = "right.py"  # functions that are lent
_TAKEN = ("*.py", "*.ipynb", "data_utils/*.py", "tests/*.py")
_HARMLESS = ("len", "range", "device", "is_available")  # what a plain value may call


# -- where it is graded ----------------------------------------------------------------------------


def locate(folder: Path) -> Path:
    """The folder that has the homework's modules: this one, or one in it."""
    inside = [folder, *sorted(p for p in folder.iterdir() if p.is_dir())]
    held = [sum((p / f"{name}.py").is_file() for name in MODULES) for p in inside]
    if not any(held):
        raise MissingInput(
            f"{folder}: expected the homework's files ({', '.join(MODULES)}), found none of them"
        )
    return inside[held.index(max(held))].resolve()


def gather(folder: Path, into: Path) -> None:
    """Copy what is graded into one folder: programs, and the code of notebooks as a list of cells.

    Notebooks may lie beside the folder of the modules; they keep their names.
    """
    for place in (folder, locate(folder)):  # what lies with the modules goes over the rest
        for path in (path for pattern in _TAKEN for path in place.glob(pattern)):
            goal = into / path.relative_to(place)
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(_cells(path) if path.suffix == ".ipynb" else path.read_bytes())


def _cells(notebook: Path) -> bytes:
    """The code, without pictures and outputs; nothing if it is no notebook."""
    try:
        code = [c for c in json.loads(notebook.read_bytes())["cells"] if c["cell_type"] == "code"]
        return json.dumps(["".join(cell["source"]) for cell in code]).encode()
    except (ValueError, KeyError, TypeError):
        return b""


def find(folder: Path, pattern: str) -> Path | None:
    """The program or notebook of that pattern; a program goes before a notebook."""
    found = [p for p in sorted(folder.glob(pattern)) if p.suffix in (".py", ".ipynb")]
    return min(found, key=lambda p: p.suffix != ".py", default=None)


def not_asked_for(folder: Path) -> str:
    """Why a submission need not have an averaging network: its hand-out asks for none."""
    if find(folder, TRANSFORMER):
        return "this hand-out has a transformer in the place of the averaging network"
    asked = folder / "tests" / "test_submission.py"
    if asked.is_file() and "dan" not in asked.read_text(encoding="utf-8", errors="replace").lower():
        return "this hand-out's own test asks for no averaging network"
    return ""


# -- where its code runs ---------------------------------------------------------------------------


class Code:
    """A submission's modules, programs and notebooks; `given` may hold functions that are lent."""

    def __init__(self, submission: Submission, given: Path) -> None:
        self.folder, self.given, self.scratch = submission.folder, given, submission.scratch
        if sys.path[0] != str(self.folder):
            self._prepare()

    def _prepare(self) -> None:
        """Let the homework's modules be found here, and no other submission's."""
        for name in (*MODULES, "data_utils", "data_utils.utils"):
            sys.modules.pop(name, None)
        sys.path[:] = [p for p in sys.path if not (Path(p) / "q1c_neural.py").is_file()]
        sys.path.insert(0, str(self.folder))
        if not (self.folder / "data_utils" / "utils.py").is_file():
            package = ModuleType("data_utils")
            package.utils = texts  # pyright: ignore
            sys.modules |= {"data_utils": package, "data_utils.utils": texts}

    def module(self, name: str) -> ModuleType:
        """One of the homework's modules; what it takes from other files is right, if it is lent."""
        expect((self.folder / f"{name}.py").is_file(), "missing", f"{name}.py is not there")
        try:
            held = importlib.import_module(name)
        except NotImplementedError:
            raise
        except (Exception, SystemExit) as error:
            said = where(error, self.folder)
            raise Finding("import", f"{name}.py cannot be imported: {said}") from error
        if (self.given / RIGHT).is_file():
            for each, right in runpy.run_path(str(self.given / RIGHT)).items():
                if getattr(vars(held).get(each), "__module__", name) != name:
                    setattr(held, each, right)
        return held

    def function(self, name: str, *wanted: str) -> Any:
        """A function of a module, by the first of its names that is there."""
        held = self.module(name)
        for each in wanted:
            if callable(found := getattr(held, each, None)):
                return found
        raise Finding("missing", f"{name}.py has no '{wanted[0]}'")

    def classes(self, pattern: str, what: str) -> list[type]:
        """Every class of a program or notebook, also those of a name that is used again."""
        path = find(self.folder, pattern)
        if path is None:
            raise Finding("missing", f"no program or notebook of {what} ({pattern}) is there")
        found: list[type] = []
        space: dict[str, Any] = {"__name__": path.stem}
        with patch.object(sys, "meta_path", [*sys.meta_path, _Anything()]):
            for node in _definitions(path):
                try:
                    exec(compile(ast.Module([node], []), str(path), "exec"), space)
                except Exception:  # a value or a class that rests on what was not executed
                    continue
                found += [space[node.name]] if isinstance(node, ast.ClassDef) else []
        return found


class _Anything(MetaPathFinder, Loader):
    """Stand-ins for modules that nobody else finds."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec:
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def _definitions(path: Path) -> Iterator[ast.stmt]:
    """The statements that define something; a notebook's cells that are not Python are left."""
    text, program = path.read_text(encoding="utf-8"), path.suffix == ".py"
    expect(text, "import", f"{path.name} is not a notebook")
    for cell in [text] if program else json.loads(text):
        lines = ("" if re.match(r"\s*[!%]", line) else line for line in cell.split("\n"))
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError:
            if program:
                raise
            continue
        yield from (node for node in tree.body if _defines(node))


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef):
        return True
    if not isinstance(node, ast.Assign):
        return False
    calls = [n.func for n in ast.walk(node.value) if isinstance(n, ast.Call)]
    names = [getattr(call, "id", getattr(call, "attr", "")) for call in calls]
    return set(names) <= set(_HARMLESS)
