"""Where a submission's code lies, and which files it has.

XCS224N hands out a package with `helper.py`, whose functions can be called one by one. CS224N
hands out files side by side, without a package: what `helper.py` does stands in `run.py`.
"""

import ast
import warnings
from pathlib import Path

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.files import read_text

FILES = tuple(f"{n}.py" for n in "__init__ attention dataset helper model trainer utils".split())
SIDE_BY_SIDE = tuple(f"{n}.py" for n in "attention dataset model run trainer utils".split())
_LATER = tuple(name.replace("model", "models") for name in SIDE_BY_SIDE)  # from 2023-24 on
_KINDS = (FILES, SIDE_BY_SIDE, _LATER)
_KNOWN = ("submission", "src", "code")  # of two folders alike, the one of such a name
_DEPTH = 4
_NOT_HERE = ("mingpt", ".", "__")  # the course's demonstration, hidden and written folders


def locate(folder: Path) -> Path:
    """The folder that holds most of the course's files: this one, or one inside it."""
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected a folder with a submission, found none")
    best = max(_folders(folder), key=_likely)
    if not _likely(best)[0]:
        raise MissingInput(
            f"{folder}: expected the course's files ({', '.join(FILES)}), found none of them; "
            "name the folder that has them"
        )
    return best.resolve()


def is_package(folder: Path) -> bool:
    """Whether the files form a package; files of neither kind count as one that lacks some."""
    return (folder / "helper.py").is_file() or not (folder / "run.py").is_file()


def expected_files(folder: Path) -> tuple[str, ...]:
    """The course's files as this folder should have them."""
    if is_package(folder):
        return FILES
    return _LATER if (folder / "models.py").is_file() else SIDE_BY_SIDE


def check_files(folder: Path) -> None:
    """Refuse a submission that lacks a file, or that has one which is not Python."""
    for file in expected_files(folder):
        path = folder / file
        if not path.is_file():
            raise MissingInput(f"{path}: expected one of the course's files, found none; add it")
        parse(path)


def parse(path: Path) -> None:
    """Refuse a file that is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(read_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, found = 1, f"text that cannot be parsed ({error})"
        if isinstance(error, SyntaxError):
            line, found = error.lineno or 1, f"a syntax error ({error.msg})"
        raise BadData(
            f"{path}:{line}: expected Python, found {found}; 'python {path.name}' shows it"
        ) from None


def _folders(folder: Path, depth: int = _DEPTH) -> list[Path]:
    """The folder, and those in it."""
    inside = sorted(folder.iterdir()) if depth > 1 else []
    inner = (p for p in inside if p.is_dir() and not p.name.startswith(_NOT_HERE))
    return [folder, *(each for path in inner for each in _folders(path, depth - 1))]


def _likely(folder: Path) -> tuple[int, int, int]:
    """How many of the course's files are there, how telling the name is, and how near it is."""
    held = max(sum((folder / name).is_file() for name in kind) for kind in _KINDS)
    rank = _KNOWN.index(folder.name) if folder.name in _KNOWN else len(_KNOWN)
    return held, -rank, -len(folder.parts)
