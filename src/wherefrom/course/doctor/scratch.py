"""The folder that a submission's code runs in: a copy of its small files, a home, nothing else."""

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
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
    if folder.name == "src":
        _copy((p for p in sorted(folder.parent.iterdir()) if _plain(p)), folder.parent, to, whole)
        to = to / "src"
    to.mkdir(parents=True)
    _copy(_files(folder), folder, to, whole)
    return to


def _copy(paths: Iterable[Path], folder: Path, to: Path, whole: Collection[Path]) -> None:
    for path in paths:
        target = to / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.stat().st_size <= COPIED or path in whole:
            shutil.copyfile(path, target)
        else:
            target.touch()


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    for at, folders, files in os.walk(folder):
        here = Path(at)
        deep = len(here.relative_to(folder).parts) >= _DEPTH
        folders[:] = [] if deep else sorted(f for f in folders if _wanted(f))
        for path in filter(_plain, (here / file for file in sorted(files))):
            count += 1
            if count > _FILES:
                return
            yield path


def _plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and not path.name.startswith(".")


def _wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED


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
