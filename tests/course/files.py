"""The course's programs, which import each other by name as if one of them were run."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

A5, HW2 = (Path(__file__).parents[2] / "course" / name for name in ("a5", "hw2"))


def load(folder: Path, *names: str) -> list[ModuleType]:
    """Modules by their own names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return [importlib.import_module(name) for name in names]


def load_program(folder: Path, name: str) -> ModuleType:
    """A program of which both assignments have one: a grader, or what makes a starter."""
    spec = importlib.util.spec_from_file_location(f"{folder.name}_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        spec.loader.exec_module(module)
    return module
