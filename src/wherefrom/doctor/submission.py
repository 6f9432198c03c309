"""A submission: the folder with the course's files, and the package that they form."""

import ast
import importlib.util
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.files import read_text
from wherefrom.doctor.findings import Finding
from wherefrom.doctor.years import DEFAULT_YEAR, Year, find_year

FILES = tuple(f"{n}.py" for n in "__init__ attention dataset helper model trainer utils".split())
_INSIDE = (".", "submission", "src/submission")
T = TypeVar("T")


def locate(folder: Path) -> Path:
    """The folder that holds the course's files: this one, or `submission` or `src/submission`."""
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected a folder with a submission, found none")
    held = [sum((folder / inner / file).is_file() for file in FILES) for inner in _INSIDE]
    if not any(held):
        raise MissingInput(
            f"{folder}: expected the course's files ({', '.join(FILES)}), found none of them; "
            "name the folder 'submission' itself"
        )
    return (folder / _INSIDE[held.index(max(held))]).resolve()


def check_files(folder: Path) -> None:
    """Refuse a submission that lacks a file, or that has one which is not Python."""
    for file in FILES:
        path = folder / file
        if not path.is_file():
            raise MissingInput(f"{path}: expected one of the course's files, found none; add it")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(read_text(path))
        except SyntaxError as error:
            raise BadData(
                f"{path}:{error.lineno or 1}: expected Python, found a syntax error "
                f"({error.msg}); 'python {file}' shows it"
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise BadData(
                f"{path}:1: expected Python, found text that cannot be parsed ({error}); "
                f"'python {file}' shows it"
            ) from None


class Submission:
    """A submission under examination: its files, its code once imported, the data, the year."""

    def __init__(
        self,
        folder: Path,
        data: Path | None = None,
        answers: Path | None = None,
        broken: str = "",
        year: str = DEFAULT_YEAR,
    ) -> None:
        self.folder, self.data, self.answers = folder, data, answers
        self.year: Year = find_year(year)
        self._broken = broken
        self._kept: dict[Hashable, Any] = {}

    @cached_property
    def code(self) -> ModuleType:
        """The package, imported as `submission` whatever its folder is called."""
        if self._broken:
            raise Finding("import", self._broken)
        try:
            return _load(self.folder)
        except (Exception, SystemExit) as error:
            self._broken = f"the package cannot be imported: {where(error, self.folder)}"
            raise Finding("import", self._broken) from error

    def __getattr__(self, name: str) -> Any:
        """A name of the package: `submission.GPT`; a name that it lacks is a finding."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self.code, name, None)
        if found is None:
            raise Finding("import", f"the package gives no '{name}'; see its __init__.py")
        return found

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives: made the first time, kept for the other checks that need it."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @cached_property
    def scratch(self) -> Path:
        """A folder for what a check writes; it is removed with the folder of the child process."""
        return Path(tempfile.mkdtemp(prefix="look-", dir="."))


def where(error: BaseException, folder: Path) -> str:
    """An exception in one line, with the last line of the submission in its traceback."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:300].removesuffix(":")
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).is_relative_to(folder)]
    return f"{text} ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else text


def _load(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "submission", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
        del sys.modules[name]  # modules of another submission
    sys.modules["submission"] = module
    spec.loader.exec_module(module)
    return module
