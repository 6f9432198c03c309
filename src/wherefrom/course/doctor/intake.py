"""Takes a submission in: a copy of its plain files, out of a folder or a zip archive.

All later reading is of the copy. It has no links, pipes or devices, and it is bounded, so a
submission cannot show the grader a file of the grader's own, nor fill its disk.
"""

import lzma
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from wherefrom.core.errors import BadData, MissingInput, WherefromError
from wherefrom.core.inside import open_regular
from wherefrom.course.doctor.isolation import new_place

FILES, DEPTH = 2000, 8
LARGEST, TOTAL = 256 << 20, 2 << 30  # bytes of a file, and of all
# Bytes of a Python file, which is parsed; of other files that are larger, the code sees the name.
SMALL = 1 << 20
PYTHON = 2 << 20  # bytes of all Python files: syntax takes a thousand times the room of its text
_KEPT_BACK = (".params", ".predictions")  # their contents are not for the code that is judged
_SKIPPED = ("__pycache__", "__MACOSX", "data", "expt", "env", "venv", "node_modules")


@dataclass
class Taken:
    """The copy, the place it came from, and what was left there, with the reason."""

    folder: Path
    origin: Path
    left: list[str] = field(default_factory=list)
    files: int = 0
    size: int = 0
    python: int = 0

    def keep(self, file: IO[bytes], name: PurePosixPath, size: int) -> None:
        """Add a file, unless it is too large; an archive may promise less than it holds."""
        python = size if name.suffix == ".py" else 0
        if size > (SMALL if python else LARGEST) or self.python + python > PYTHON:
            self.left.append(f"{name} ({size / (1 << 20):.0f} MB)")
            return
        self.python += python
        self.files, self.size = self.files + 1, self.size + size
        if self.files > FILES or self.size > TOTAL:
            raise BadData(
                f"{self.origin}: expected at most {FILES} files and {TOTAL >> 20} MB, found more; "
                "hand in the course's files alone"
            )
        to = self.folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("xb") as out:
            out.write(file.read(size))


@contextmanager
def taken(path: Path) -> Iterator[Taken]:
    """A submission's copy while the context lasts; errors name the files where they came from."""
    with new_place() as held:  # the program's folders may be put beside the copy
        copy = Taken(held / (path.resolve().stem or "submission"), path)
        copy.folder.mkdir()
        try:
            if path.is_dir():
                _copy(path, PurePosixPath(), copy)
            elif path.is_file():
                _unpack(path, copy)
            else:
                raise MissingInput(f"{path}: expected a folder with a submission, found none")
            yield copy
        except WherefromError as error:
            raise type(error)(str(error).replace(str(copy.folder), str(path))) from None


def _copy(folder: Path, below: PurePosixPath, copy: Taken) -> None:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name = below / entry.name
        if not _wanted(name):
            continue
        if entry.is_dir(follow_symlinks=False):
            _copy(Path(entry), name, copy)
            continue
        try:
            file = open_regular(Path(entry))
        except WherefromError:
            copy.left.append(f"{name} ({'a link' if entry.is_symlink() else 'no plain file'})")
            continue
        with file:
            copy.keep(file, name, os.fstat(file.fileno()).st_size)


def _unpack(path: Path, copy: Taken) -> None:
    """The archive's files, read within its own bounds: what a header promises proves nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                name = PurePosixPath(entry.filename.replace("\\", "/"))
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if entry.is_dir() or not _wanted(name):
                    continue
                if name.is_absolute() or ".." in name.parts or kind not in (0, stat.S_IFREG):
                    copy.left.append(f"{name} (no plain file)")
                    continue
                with archive.open(entry) as file:
                    copy.keep(file, name, entry.file_size)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, ValueError, RuntimeError, OSError,
            EOFError) as error:  # fmt: skip
        raise BadData(f"{path}: expected a zip archive, found one that breaks: {error}") from None


def _wanted(name: PurePosixPath) -> bool:
    hidden = any(part.startswith(".") and part != ".." for part in name.parts)
    return not hidden and not set(name.parts) & set(_SKIPPED) and len(name.parts) <= DEPTH


def copy_code(folder: Path, to: Path) -> Path:
    """A copy for the submission's code; of parameters and predictions it has only the names.

    A hand-out whose code is in `src` writes its files beside that folder: they come along.
    """

    def copy(path: str, target: str) -> None:
        if path.endswith(_KEPT_BACK) or os.path.getsize(path) > SMALL:
            Path(target).touch()
        else:
            shutil.copyfile(path, target)

    above = folder.parent if folder.name == "src" else folder
    shutil.copytree(above, to, copy_function=copy)
    return to / "src" if folder.name == "src" else to
