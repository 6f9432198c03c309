"""The user's list of data sets: one small file that maps a name to a folder.

It keeps where a folder is and the checksums of its files. The data stay where they are.
"""

import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.artifact import lock_folder
from wherefrom.core.bounds import is_name
from wherefrom.core.cache import find_folder
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, CannotWrite, Damaged, UsageError
from wherefrom.core.files import file_hash, read_json, write_json

_FILE = "data.json"


@dataclass(frozen=True)
class Entry:
    """A registered folder, and the SHA-256 that each of its files had when it was registered."""

    folder: str
    files: dict[str, str]


def home() -> Path:
    """The user's folder: $WHEREFROM_HOME, or where the system keeps the data of programs."""
    if own := os.environ.get("WHEREFROM_HOME"):
        return Path(own)
    return find_folder("XDG_DATA_HOME", ".local/share", "WHEREFROM_HOME")


def add(name: str, folder: Path, files: Sequence[str]) -> Entry:
    """Register a folder under a name, in place of the one before."""
    if not is_name(name):
        raise UsageError(f"data: expected a name without / and '..', found {name!r}")
    folder = folder.resolve()
    entry = Entry(str(folder), {file: file_hash(folder / file) for file in files})
    with lock_folder(home(), wait=True):
        write_json(home() / _FILE, to_json(entries() | {name: entry}))
    return entry


def remove(name: str) -> None:
    """Take a name off the list; the files stay."""
    with lock_folder(home(), wait=True):
        write_json(home() / _FILE, to_json({n: e for n, e in entries().items() if n != name}))


def find(name: str) -> Path | None:
    """The folder that is registered under a name."""
    entry = entries().get(name)
    return None if entry is None else Path(entry.folder)


def entries() -> dict[str, Entry]:
    """Every registered data set by its name."""
    try:
        path = home() / _FILE
    except CannotWrite:  # there is no place for the list, so nothing is registered
        return {}
    if not path.exists():
        return {}
    try:
        found = from_json(dict[str, Entry], read_json(path), str(path))
        if bad := [name for name in found if not is_name(name)]:
            raise Damaged(f"{path}: expected names of data sets, found {bad[0]!r}")
        return found
    except (BadData, Damaged) as error:
        raise Damaged(f"{error}; remove the file and register the folders again") from None


def find_unchanged(name: str) -> Path | None:
    """The same; Damaged if a file of it is no longer as it was registered."""
    folder = find(name)
    require_unchanged([] if folder is None else [folder])
    return folder


def require_unchanged(paths: Iterable[Path]) -> None:
    """Damaged if a registered file has changed that is one of these, or lies in one of them."""
    wanted = {path.resolve() for path in paths if os.path.exists(path)}
    for name, entry in entries().items() if wanted else ():
        folder = Path(entry.folder)
        for file, digest in entry.files.items():
            path = (folder / file).resolve()
            if wanted.isdisjoint((path, *path.parents)) or not path.is_file():
                continue  # whoever reads it says that it is missing
            if (found := file_hash(path)) != digest:
                since, again = _explain_change(name, folder)
                raise Damaged(
                    f"{path}: expected SHA-256 {digest}, which it had when '{name}' was {since}, "
                    f"found {found}; {again}"
                )


def _explain_change(name: str, folder: Path) -> tuple[str, str]:
    """How the data set came to be known, and what to do if it has changed since."""
    if folder == (home() / "data" / name).resolve():
        return "fetched", f"'wherefrom data fetch {name}' gets it again"
    register = f"wherefrom data add {name} {shlex.quote(str(folder))}"
    return "registered", f"put the old file back, or register it as it is now: {register}"


def state(entry: Entry) -> str:
    """ok, changed since (the folder was registered), or missing."""
    folder = Path(entry.folder)
    if not all((folder / file).is_file() for file in entry.files):
        return "missing"
    same = all(file_hash(folder / file) == digest for file, digest in entry.files.items())
    return "ok" if same else "changed since"
