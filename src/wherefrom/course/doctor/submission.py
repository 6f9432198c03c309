"""A submission: the folder with the course's files, their code, and what it wrote."""

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
        self.note = ""  # of whoever asks for the checks
        self._broken = broken
        self._kept: dict[Hashable, Any] = {}

    @property
    def package(self) -> bool:
        """Whether its functions can be called; else run.py does what they would do."""
        return layouts.is_package(self.folder)

    @property
    def places(self) -> tuple[Path, ...]:
        """Where what the code wrote may lie: beside the code, or beside `src`."""
        beside = self.folder.name == "src"
        return (self.folder, self.folder.parent) if beside else (self.folder,)

    def find(self, name: str) -> Path:
        """A file that the code wrote; where it should be, if it is nowhere."""
        paths = [place / name for place in self.places]
        return next((path for path in paths if path.is_file()), paths[-1])

    def written(self, pattern: str) -> list[Path]:
        """The files that the code wrote, by name; the first place's hide the others'."""
        found = {path.name: path for place in self.places[::-1] for path in place.glob(pattern)}
        return [found[name] for name in sorted(found)]

    @cached_property
    def code(self) -> ModuleType:
        """The package, imported as `submission` whatever its folder is called."""
        if self._broken:
            raise Finding("import", self._broken)
        try:
            return layouts.load(self.folder)
        except (Exception, SystemExit) as error:
            self._broken = f"the package cannot be imported: {where(error, self.folder)}"
            raise Finding("import", self._broken) from error

    def __getattr__(self, name: str) -> Any:
        """A name of the package: `submission.GPT`; a name that it lacks is a finding."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self.code, name, None)
        if found is None:  # not every hand-out's __init__.py names every class
            inside = [vars(m) for n, m in sys.modules.items() if n.startswith("submission.")]
            found = next((names[name] for names in inside if names.get(name) is not None), None)
        if found is None:
            hint = "see its __init__.py" if self.package else "none of its files has it"
            raise Finding("import", f"the package gives no '{name}'; {hint}")
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
