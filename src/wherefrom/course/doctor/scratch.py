"""The folder that a submission's code runs in: a copy of its small files, a home, nothing else."""

import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

COPIED = 1 << 20  # bytes: of larger files, as parameters are, only the name is there
_FILES, _DEPTH = 500, 4
_SKIPPED = ("__pycache__", "data", "expt", "env", "venv", "node_modules")
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


def copy_submission(folder: Path, to: Path, whole: Collection[Path] = ()) -> Path:
    """The files of a submission in another place; links, hidden files and data stay behind.

    Of large files only those named in `whole` have their contents. A hand-out whose code is in
    `src` writes its files beside that folder: they come along.
    """
    count = 0

    def copy(path: str, target: str) -> None:
        nonlocal count
        count += 1
        if count > _FILES:
            return
        if os.path.getsize(path) <= COPIED or Path(path) in whole:
            shutil.copyfile(path, target)
        else:
            Path(target).touch()

    def leave(at: str, names: list[str]) -> list[str]:
        here = Path(at)
        deep = here == folder.parent or len(here.relative_to(folder).parts) >= _DEPTH
        return [name for name in names if not _wanted(here / name, deep)]

    if folder.name == "src":
        shutil.copytree(folder.parent, to, ignore=leave, copy_function=copy)
        to = to / "src"
    shutil.copytree(folder, to, ignore=leave, copy_function=copy)
    return to


def _wanted(path: Path, deep: bool) -> bool:
    if path.is_symlink() or path.name.startswith("."):
        return False
    return path.is_file() or (path.is_dir() and not deep and path.name not in _SKIPPED)


def environment(home: Path, paths: list[str], **own: str) -> dict[str, str]:
    """The few variables a program needs, none of which says anything of whoever grades."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    quiet = {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HOME": str(home),
        "TMPDIR": str(home),
        "PYTHONUTF8": "1",
    }
    return kept | quiet | own


def size(folder: Path) -> int:
    """Bytes of all files in a folder."""
    total = 0
    for at, _, files in os.walk(folder):
        for file in files:
            with suppress(OSError):  # removed meanwhile
                total += os.lstat(os.path.join(at, file)).st_size
    return total
