"""A submission's code, in the process that runs it."""

import sys
import tempfile
import traceback
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from wherefrom.course.doctor import layouts
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.years import DEFAULT_YEAR, Year, find_year

T = TypeVar("T")


class Submission:
    """The names of a submission's files; a file that cannot be imported costs only its own."""

    def __init__(self, folder: Path, year: str = DEFAULT_YEAR, broken: str = "") -> None:
        self.folder, self.broken = folder, broken
        self.files: dict[str, Path] = {}  # by the end of their usual name
        self.year: Year = find_year(year)
        self._kept: dict[Hashable, Any] = {}

    @property
    def package(self) -> bool:
        """Whether its functions can be called; else run.py does what they would do."""
        return layouts.is_package(self.folder)

    @cached_property
    def code(self) -> tuple[list[ModuleType], dict[str, str]]:
        """The modules that can be imported, and why the others cannot, by file."""
        if self.broken:
            raise Finding("import", self.broken)
        modules, errors = layouts.load(self.folder)
        return modules, {file: where(error, self.folder) for file, error in errors.items()}

    def __getattr__(self, name: str) -> Any:
        """A name of the files: `submission.GPT`; a name that they lack is a finding."""
        if name.startswith("_"):
            raise AttributeError(name)
        modules, errors = self.code
        for module in modules:
            if (found := vars(module).get(name)) is not None:
                return found
        if errors:
            file, error = next(iter(errors.items()))
            raise Finding("import", f"{file} cannot be imported: {error}")
        raise Finding("import", f"none of its files has a '{name}'")

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives: made the first time, kept for whoever needs it again."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @cached_property
    def scratch(self) -> Path:
        """A folder for what is written here; it is removed with the folder of the process."""
        return Path(tempfile.mkdtemp(prefix="look-", dir=".")).resolve()


def describe(error: BaseException, folder: Path) -> dict[str, str]:
    """The type of an exception, its text, and the submission's line that raised it."""
    text = " ".join(str(error).split())[:300]
    line = own_line(traceback.extract_tb(error.__traceback__), folder)
    told = {"type": type(error).__name__, "text": f"{text} ({line})" if line else text}
    return told | ({"mistake": error.mistake} if isinstance(error, Finding) else {})


def where(error: BaseException, folder: Path) -> str:
    """The same in one line."""
    return ": ".join(filter(None, list(describe(error, folder).values())[:2]))


def own_line(frames: traceback.StackSummary, folder: Path) -> str:
    """File and line of the last frame that is in the submission's folder; "" if none is."""
    own = [f for f in frames if Path(f.filename).is_relative_to(folder)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""


def calling_line(folder: Path) -> str:
    """Where in the submission this was called from."""
    frame, start = sys._getframe(1), f"{folder}/"
    while frame is not None and not frame.f_code.co_filename.startswith(start):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
