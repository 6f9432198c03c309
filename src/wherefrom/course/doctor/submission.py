"""A submission's code, in the process that runs it."""

import importlib
import importlib.util
import sys
import tempfile
import traceback
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.layouts import expected_files, is_package


class Submission:
    """The names of a submission's files; a file that cannot be imported costs only its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def package(self) -> bool:
        """Whether its functions can be called; else run.py does what they would do."""
        return is_package(self.folder)

    @cached_property
    def code(self) -> tuple[list[ModuleType], dict[str, str]]:
        """The modules that can be imported, and why the others cannot, by file.

        A package is imported as `submission`, whatever its folder is called. CS224N's files import
        each other by their bare names, so their folder comes first.
        """
        modules, errors = list[ModuleType](), dict[str, BaseException]()
        files = [file for file in expected_files(self.folder) if file != "run.py"]
        own = {"submission"} if self.package else {file.removesuffix(".py") for file in files}
        for name in [name for name in sys.modules if name.split(".")[0] in own]:
            del sys.modules[name]  # another submission's
        sys.path[:0] = [] if self.package else [str(self.folder)]
        for file in files:
            name = file.removesuffix(".py")
            try:
                if file == "__init__.py":  # a file's own fault is told with the file
                    modules.append(_new_package(self.folder))
                    modules[0].__loader__.exec_module(modules[0])  # pyright: ignore
                else:
                    found = f"submission.{name}" if self.package else name
                    modules.append(importlib.import_module(found))
            except (Exception, SystemExit) as error:
                errors[file] = error
        if len(errors) > 1:  # one of the files made the package's own import fail
            errors.pop("__init__.py", None)
        return modules, {file: where(error, self.folder) for file, error in errors.items()}

    def __getattr__(self, name: str) -> Any:
        """A name of the files: `submission.GPT`; a name that they lack is a finding."""
        if name.startswith("_"):
            raise AttributeError(name)
        modules, errors = self.code
        for module in modules:
            if (found := vars(module).get(name)) is not None:
                return found
        for file, error in errors.items():
            raise Finding("import", f"{file} cannot be imported: {error}")
        raise Finding("import", f"none of its files has a '{name}'")

    @cached_property
    def scratch(self) -> Path:
        """A folder for what is written here; it is removed with the folder of the process."""
        return Path(tempfile.mkdtemp(prefix="look-", dir=".")).resolve()


def _new_package(folder: Path) -> Any:
    """A package that only waits for its file to be executed."""
    spec = importlib.util.spec_from_file_location(
        "submission", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    sys.modules["submission"] = package = importlib.util.module_from_spec(spec)
    return package


def describe(error: BaseException, folder: Path) -> dict[str, str]:
    """The type of an exception, its text, and the submission's line that raised it."""
    text = " ".join(str(error).split())[:300]
    line = own_line(traceback.walk_tb(error.__traceback__), folder)
    told = {"type": type(error).__name__, "text": f"{text} ({line})" if line else text}
    return told | ({"mistake": error.mistake} if isinstance(error, Finding) else {})


def where(error: BaseException, folder: Path) -> str:
    """The same in one line."""
    return ": ".join(filter(None, list(describe(error, folder).values())[:2]))


def own_line(frames: Iterable[tuple[FrameType, int]], folder: Path) -> str:
    """File and line of the last frame that is in the submission's folder; "" if none is."""
    own = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    own = [f"{path.name}:{line}" for path, line in own if path.is_relative_to(folder)]
    return own[-1] if own else ""
