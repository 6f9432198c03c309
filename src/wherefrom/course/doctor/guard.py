"""Keeps a submission from handing in the library's own solutions as its own.

The course's files are a layer over the library, so a submission may import most of it. It may not
import what the assignment asks a student to write, nor the checks, and the solved methods refuse
to work, whichever way they are reached: `return super().forward(x)` is no solution.

This stops haste, not malice: a process can always look into its own memory.
"""

import builtins
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from wherefrom.course.doctor.findings import Finding

MISTAKE = "library"
# What a submission may not import, with all below it, and what it may all the same.
CLOSED = (
    "wherefrom.api",
    "wherefrom.cli",
    "wherefrom.course.doctor",
    "wherefrom.course.lab",
    "wherefrom.models.attention.mixers",
    "wherefrom.models.attention.rope",
    "wherefrom.models.attention.synthesizer",
    "wherefrom.objectives.spans",
    "grading",
)
OPEN = ("wherefrom.course.doctor.years",)
# The parts of the assignment that the library has solved, by module, class and method.
_SOLVED = {
    "wherefrom.models.attention.synthesizer": {
        "SynthesizerAttention": ("__init__", "project", "weights", "_weights", "values", "forward")
    },
    "wherefrom.models.attention.rope": {"RotarySelfAttention": ("__init__", "place")},
    "wherefrom.models.attention.perceiver": {
        "DownProjectBlock": ("__init__", "forward"),
        "UpProjectBlock": ("__init__", "forward"),
    },
    "wherefrom.objectives.spans": {"Documents": ("plan", "render")},
}


def close(folder: Path) -> None:
    """From now on, code in that folder gets none of the library's solutions in this process."""
    _hollow_out()
    _watch_imports(str(folder))


def is_closed(name: str) -> bool:
    return _below(name, CLOSED) and not _below(name, OPEN)


def _below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def _watch_imports(folder: str) -> None:
    original, by_name = builtins.__import__, importlib.import_module

    def checked(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> ModuleType:
        if level == 0 and _of(folder, globals or {}, sys._getframe(1).f_code.co_filename):
            for each in (name, *(f"{name}.{part}" for part in fromlist or ())):
                _refuse_import(each)
        return original(name, globals, locals, fromlist, level)

    def checked_by_name(name: str, package: str | None = None) -> ModuleType:
        frame = sys._getframe(1)
        if _of(folder, frame.f_globals, frame.f_code.co_filename):
            _refuse_import(name)
        return by_name(name, package)

    builtins.__import__ = checked
    importlib.import_module = checked_by_name


def _of(folder: str, names: dict[str, Any], file: str) -> bool:
    """Whether code of the submission asks."""
    return str(names.get("__file__") or file).startswith(folder) or file.startswith(folder)


def _refuse_import(name: str) -> None:
    if is_closed(name):
        raise ImportError(
            f"{name} is the library's own: while a submission is examined it counts only what "
            "the submission itself writes"
        )


def _hollow_out() -> None:
    for module, classes in _SOLVED.items():
        found = importlib.import_module(module)
        for name, methods in classes.items():
            for method in methods:
                if hasattr(getattr(found, name), method):
                    setattr(getattr(found, name), method, _refusing(f"{name}.{method}"))


def _refusing(what: str) -> Any:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        text = f"it calls the library's {what}: only what the submission itself writes counts"
        raise Finding(MISTAKE, text)

    return refuse
