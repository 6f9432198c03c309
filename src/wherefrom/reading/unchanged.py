"""The last thing that was read from files, as long as they have not changed.

A run reads its text to describe it, to plan and to train. A large text takes most of a minute each
time, so the second and the third reading are spared.
"""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from time import time
from typing import Generic, TypeVar

_SETTLED = 2.0  # seconds: a file may change twice within one tick of the clock that stamps files

Read = TypeVar("Read")


class LastRead(Generic[Read]):
    """Keeps one value, and gives it again while the files that it was read from are the same."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._key: Hashable = None
        self._value: Read | None = None

    def get(self, about: Hashable, paths: Sequence[Path], read: Callable[[], Read]) -> Read:
        """What `read` gives; `about` is all that it depends on besides the files."""
        stamps = _stamps(paths)
        settled = stamps and max(changed for _, _, changed, _ in stamps) < self._clock() - _SETTLED
        key = (about, stamps) if settled else None
        if key is None or key != self._key or self._value is None:
            self._key, self._value = None, None  # two large texts need not be there at once
            value = read()
            if key is None or _stamps(paths) != stamps:
                return value
            self._key, self._value = key, value
        return self._value


def _stamps(paths: Sequence[Path]) -> tuple[tuple[str, int, float, int], ...]:
    """The name, size, time and number of every file, those in folders too; () if one is missing."""
    try:
        files = [f for p in paths for f in (sorted(p.rglob("*")) if p.is_dir() else [p])]
        stats = [(str(file), file.stat()) for file in files]
    except OSError:
        return ()
    return tuple((name, s.st_size, s.st_mtime, s.st_ino) for name, s in stats)
