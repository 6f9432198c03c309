"""What takes minutes to compute from large data, kept between calls.

An entry is a folder with a manifest: written under a temporary name, renamed when it is whole, and
compared with its checksums whenever it is opened. Half an entry is never seen; a damaged one, one
of another version or none at all is made anew. Entries can be deleted at any time. All together
have at most 20 GB; those that were not used for longest go first.

Where: `$WHEREFROM_CACHE`, or `cache` in `$WHEREFROM_HOME`, or where the system keeps such files
(`$XDG_CACHE_HOME/wherefrom`, `~/.cache/wherefrom`).
"""

import os
import shutil
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wherefrom.core.artifact import lock_folder, publish_folder, sweep, verify_folder
from wherefrom.core.errors import CacheWarning, CannotWrite, Damaged, Mismatch, MissingInput
from wherefrom.core.progress import tell

_MOST = 20e9  # bytes of all entries


def cache_folder() -> Path:
    """The user's folder for what can be computed again."""
    if own := os.environ.get("WHEREFROM_CACHE"):
        return Path(own)
    if home := os.environ.get("WHEREFROM_HOME"):
        return Path(home) / "cache"
    return find_folder("XDG_CACHE_HOME", ".cache", "WHEREFROM_CACHE")


def find_folder(shared: str, usual: str, setting: str) -> Path:
    """Where the system keeps such files: the variable `shared` says it, else it is below HOME."""
    if found := os.environ.get(shared):
        return Path(found) / "wherefrom"
    try:
        return Path.home() / usual / "wherefrom"
    except RuntimeError:  # neither HOME nor an entry for this user, as in some containers
        raise CannotWrite(
            "home: expected a folder for files of yours, found no HOME and no entry for this user; "
            f"set {setting} to a folder"
        ) from None


def open_entry(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder of an entry, sound; `make` fills it if there is none.

    If another process is making entries, this one waits for it. Raises CannotWrite if there is no
    such entry and none can be made.
    """
    root = cache_folder()
    path = root / f"{kind}-{key}"
    if _is_sound(path, key):
        return path
    with lock_folder(root, wait=True):
        if _is_sound(path, key):  # made by the one who was waited for
            return path
        sweep(root)
        with publish_folder(path, {"kind": kind, "key": key}) as folder:
            make(folder)
        _prune(root, path)
    return path


def note_unkept(error: CannotWrite) -> None:
    """Say once that nothing is kept, and why."""
    line = f"{error} (the cache: this takes as long again next time)"
    warnings.warn(line, CacheWarning, stacklevel=1)  # always this line: Python shows it once


def _is_sound(path: Path, key: str) -> bool:
    if not path.is_dir():
        return False
    tell("checking what was kept", 0, 1)
    with suppress(Damaged, MissingInput, Mismatch):
        if verify_folder(path).get("key") == key:
            with suppress(OSError):
                os.utime(path)  # used now: the last to be pruned
            return True
    return False


def _prune(root: Path, kept: Path) -> None:
    """Delete the entries that were not used for longest until all fit; never the newest one."""
    entries = [p for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")]
    sizes = {p: sum(f.stat().st_size for f in p.iterdir()) for p in entries}
    total = sum(sizes.values())
    for path in sorted(entries, key=lambda p: p.stat().st_mtime):
        if total <= _MOST:
            return
        if path != kept:
            shutil.rmtree(path, ignore_errors=True)
            total -= sizes[path]
