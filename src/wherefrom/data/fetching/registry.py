"""Where this user's data sets lie: one small file that maps a name to a folder.

Only the place and the checksums are kept; the data stays where it is.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wherefrom.core.errors import Damaged
from wherefrom.core.files import file_hash, read_json, write_json

_FILE = "data.json"


def home() -> Path:
    """The user's folder: $WHEREFROM_HOME, or where the system keeps such things."""
    if own := os.environ.get("WHEREFROM_HOME"):
        return Path(own)
    shared = os.environ.get("XDG_DATA_HOME")
    return (Path(shared) if shared else Path.home() / ".local" / "share") / "wherefrom"


def add(name: str, folder: Path, files: Sequence[str]) -> dict[str, Any]:
    """Register a folder under a name, in place of the one before; gives the entry."""
    folder = folder.resolve()
    hashes = {file: file_hash(folder / file) for file in files}
    entry = {"folder": str(folder), "files": hashes}
    write_json(home() / _FILE, entries() | {name: entry})
    return entry


def find(name: str) -> Path | None:
    entry = entries().get(name)
    return None if entry is None else Path(entry["folder"])


def entries() -> dict[str, dict[str, Any]]:
    """Every registered name with its folder and its files' SHA-256."""
    path = home() / _FILE
    if not path.exists():
        return {}
    found = read_json(path)
    if not isinstance(found, dict) or not all(map(_sound, found.values())):
        raise Damaged(
            f"{path}: expected names with a folder and files, found something else; remove it "
            "and register the folders again"
        )
    return found


def state(entry: dict[str, Any]) -> str:
    """ok, changed since it was registered, or missing."""
    folder = Path(entry["folder"])
    if not all((folder / file).is_file() for file in entry["files"]):
        return "missing"
    same = all(file_hash(folder / file) == digest for file, digest in entry["files"].items())
    return "ok" if same else "changed since"


def _sound(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("folder"), str):
        return False
    files = entry.get("files")
    return isinstance(files, dict) and all(isinstance(v, str) for v in files.values())
