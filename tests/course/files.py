"""The course's programs, which import each other by name as if one of them were run."""

import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from wherefrom.course.classroom.assignments import find_assignment
from wherefrom.course.classroom.handout_files import lay_out, write
from wherefrom.course.doctor.years import DEFAULT_YEAR

# A small text for the data sets, and questions about it.
WIKI = "\n".join(f"{n} Grey. {n} was born in Oslo, and sang." for n in ("Ann", "Bo", "Cy"))
WIKI += " Where? Rome."
NAMES = "Where was Ann Grey born?\tOslo\nWhere was Bo Grey born?\tRome\n"
A5, HW2 = (Path(__file__).parents[2] / "course" / name for name in ("a5", "hw2"))


def hand_out(folder: Path, year: str = DEFAULT_YEAR) -> Path:
    """What students of a year get, but for pages and data; the folder with their grader."""
    assignment = find_assignment(year)
    write(folder, lay_out(assignment))
    return folder / assignment.place


def fill(folder: Path, names: Iterable[str]) -> Path:
    """A folder with empty files of these names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")
    return folder


def load(folder: Path, *names: str) -> list[ModuleType]:
    """Modules by their own names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return [importlib.import_module(name) for name in names]


def load_program(folder: Path, name: str) -> ModuleType:
    """A program under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"{folder.name}_{name}", folder / f"{name}.py")
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        spec.loader.exec_module(module)
    return module


class Done(NamedTuple):
    code: int
    out: str
    err: str


def calling(find: Callable[[], Callable[[list[str]], int]]) -> Any:
    """A fixture: a program's main in this process; submissions are still graded in others."""

    @pytest.fixture
    def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
        main = find()

        def run(*arguments: object) -> Done:
            capsys.readouterr()
            code = main([str(argument) for argument in arguments])
            return Done(code, *capsys.readouterr())

        return run

    return call


def grading(folder: Path) -> Any:
    return calling(lambda: load_program(folder, "grader").main)


def left_behind(name: str) -> list[str]:
    """Processes with that name, once those that were killed are gone."""
    found: list[str] = []
    for _ in range(500):
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                found += [path.parent.name] if name.encode() in path.read_bytes() else []
        if not found:
            break
        time.sleep(0.01)
    return found
