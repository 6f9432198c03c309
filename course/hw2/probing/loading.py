"""A submission of the homework, read: its files, its modules, and the definitions of notebooks.

The homework's files are no package, and the character model and the averaging network are often
notebooks whose cells download things. Of these two only imports, functions, classes and plain
values are executed; libraries that are not installed have stand-ins.
"""

import ast
import importlib
import json
import re
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from probing import texts
from wherefrom.core.files import write_bytes
from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.intake import SMALL
from wherefrom.course.doctor.layouts import locate
from wherefrom.course.doctor.leniency import stand_in
from wherefrom.course.doctor.submission import where

MODULES = ("sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural", "q1d_neural_lm")
KINDS = ([f"{name}.py" for name in MODULES],)  # of layouts: there is one
CHARACTERS, AVERAGING, TRANSFORMER = "*char_rnn_generation.*", "*[dD][aA][nN].*", "*transformer.*"
_TAKEN = ("*.py", "*.ipynb", "data_utils/*.py", "tests/*.py")
_HARMLESS = ("len", "range", "device", "is_available")  # what a plain value may call


# -- where it is graded ----------------------------------------------------------------------------


def gather(folder: Path, into: Path) -> None:
    """Copy what is graded into one folder: programs, and notebooks as programs.

    Notebooks may lie beside the folder of the modules; they keep their names.
    """
    left = SMALL
    for place in (folder, locate(folder, KINDS)):  # what lies with the modules goes over the rest
        for path in (path for pattern in _TAKEN for path in place.glob(pattern)):
            goal, notebook = into / path.relative_to(place), path.suffix == ".ipynb"
            goal = goal.with_name(f"{goal.name}.py") if notebook else goal
            text = _code(path, left).encode() if notebook else path.read_bytes()
            left -= len(text) if notebook else 0
            write_bytes(goal, text)


def _code(notebook: Path, most: int) -> str:
    """Its cells that are Python, without commands to the shell; nothing if it is no notebook.

    Beyond so many characters they are left out.
    """
    found: list[str] = []
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        for cell in json.loads(notebook.read_bytes())["cells"]:
            text = re.sub(r"^\s*[!%].*", "", "".join(cell["source"]), flags=re.MULTILINE)
            if cell["cell_type"] != "code" or len(text) > most:
                continue
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                found += [text] if ast.parse(text) else []
                most -= len(text)
    return "\n".join(found)


def find(folder: Path, pattern: str) -> Path | None:
    """The program of that pattern; one that was a notebook comes last."""
    found = [path for path in sorted(folder.glob(pattern)) if path.suffix == ".py"]
    return min(found, key=lambda path: ".ipynb" in path.name, default=None)


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
    """A submission's modules, programs and notebooks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if sys.path[0] != str(folder):
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
        expect((self.folder / f"{name}.py").is_file(), "missing", f"{name}.py is not there")
        try:
            return importlib.import_module(name)
        except NotImplementedError:
            raise
        except (Exception, SystemExit) as error:
            said = where(error, self.folder)
            raise Finding("import", f"{name}.py cannot be imported: {said}") from error

    def function(self, name: str, *wanted: str) -> Any:
        """A function of a module, by the first of its names that is there."""
        held = self.module(name)
        for each in wanted:
            if callable(found := getattr(held, each, None)):
                return found
        raise Finding("missing", f"{name}.py has no '{wanted[0]}'")

    def classes(self, pattern: str, what: str) -> list[type]:
        """Every class of a program, also those of a name that is used again."""
        path = find(self.folder, pattern)
        if path is None:
            raise Finding("missing", f"no program or notebook of {what} ({pattern}) is there")
        text = path.read_text(encoding="utf-8")
        expect(text, "import", f"{path.name} has no Python in it")
        found: list[type] = []
        space: dict[str, Any] = {"__name__": path.stem}
        for node in filter(_defines, ast.parse(text).body):
            try:
                exec(compile(ast.Module([node], []), str(path), "exec"), space)
            except Exception:  # what rests on what was not executed, or is not installed
                if isinstance(node, ast.Import | ast.ImportFrom):
                    for each in node.names:
                        space[each.asname or each.name.split(".")[0]] = stand_in()
                continue
            found += [space[node.name]] if isinstance(node, ast.ClassDef) else []
        return [each for each in found if isinstance(each, type)]  # no stand-in's child


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef):
        return True
    if not isinstance(node, ast.Assign):
        return False
    calls = [n.func for n in ast.walk(node.value) if isinstance(n, ast.Call)]
    names = [getattr(call, "id", getattr(call, "attr", "")) for call in calls]
    return set(names) <= set(_HARMLESS)
