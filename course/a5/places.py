"""Where the assignment's files are."""

import os
from pathlib import Path

from wherefrom.core.errors import MissingInput
from wherefrom.core.files import file_hash
from wherefrom.data import birthplaces
from wherefrom.data.fetching import registry

YEAR = "xcs2021"  # the hand-out that these files are; `wherefrom course new` writes another
HERE = Path(__file__).resolve().parent
_PACKAGE = HERE / "submission"
SUBMISSION = _PACKAGE if _PACKAGE.is_dir() else HERE / "src"  # CS224N's students have no package


def data_folder(named: str | Path | None = None) -> Path:
    """Where data is: in the folder that is named, in A5_DATA, registered, or beside this file."""
    known = named or os.environ.get("A5_DATA") or registry.find_unchanged("birthplaces")
    return Path(known or HERE / "data")


def find_data(name: str, folder: str | None = None) -> Path:
    """The data file of that name."""
    path = data_folder(folder) / name
    if not path.is_file():
        raise MissingInput(
            f"{path}: expected the assignment's data, found none; name its folder with --data or "
            "the variable A5_DATA, or register it with 'wherefrom data add birthplaces FOLDER'"
        )
    return path


# Lines of the course's own files, the same in every year.
KNOWN = {"wiki.txt": 2936, "birth_dev.tsv": 500, "birth_test_inputs.tsv": 437}


def data_to_grade_with(named: Path | None) -> Path | None:
    """Beside this file, only the course's own data count: a student's grader lies there too.

    A submission's data are never used: whoever brings the questions can bring easy ones.
    """
    folder = data_folder(named)
    return None if folder == HERE / "data" and other_data(folder) else folder


def other_data(folder: Path) -> str:
    """How the files of a folder differ from the course's own; "" if they do not."""
    told: list[str] = []
    for name, lines in KNOWN.items():
        path = folder / name
        if not path.is_file():
            told.append(f"there is no {name}")
        elif file_hash(path) != next(iter(birthplaces.KNOWN[name])):
            count = path.read_bytes().count(b"\n")
            other = f"{count} instead of {lines}" if count != lines else "other"
            told.append(f"{name} has {other} lines")
    return f"not the course's own data: {'; '.join(told)}" if told else ""
