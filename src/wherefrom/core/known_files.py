"""Files whose content is known: what is read of them is compared with it, while it is read.

Code that knows the files wraps the reading in `expecting`. The readers hash the bytes as they come,
and only those of files that are known; nothing is read twice.
"""

import hashlib
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

from wherefrom.core.errors import Damaged, MissingInput


@dataclass(frozen=True)
class Known:
    """The SHA-256 that a file had, when it had it, and what to do if it has another one now."""

    sha256: str
    since: str
    advice: str


_NO_FILES = {
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
}

Lookup = Callable[[Path], Known | None]
_lookup: ContextVar[Lookup | None] = ContextVar("lookup", default=None)


@contextmanager
def expecting(lookup: Lookup) -> Iterator[None]:
    """Within this context, files that `lookup` knows must have the content that it knows."""
    token = _lookup.set(lookup)
    try:
        yield
    finally:
        _lookup.reset(token)


def are_expected() -> bool:
    """Whether files are compared now: what was read without it must not be used with it."""
    return _lookup.get() is not None


def check_bytes(path: Path, data: bytes) -> None:
    """Damaged if the file is known and these, all its bytes, are others."""
    if known := _find(path):
        _compare(path, known, hashlib.sha256(data).hexdigest())


def check_file(path: Path, file: BufferedReader) -> None:
    """The same for an open file that is read in another way afterwards, from its beginning."""
    if known := _find(path):
        _compare(path, known, hashlib.file_digest(file, "sha256").hexdigest())
        file.seek(0)


class HashedFile:
    """An open file, hashed as it is read; `finish` compares, when all that is needed was read."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file, self._known = path, file, _find(path)
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        if self._known:
            self._digest.update(data)
        return data

    def finish(self) -> None:
        if self._known:
            while self.read(2**20):  # what a packed file has behind its end
                pass
            _compare(self._path, self._known, self._digest.hexdigest())


def require_file(path: Path) -> None:
    """Refuse a device, such as /dev/zero, which has no end, a pipe and a socket.

    Opening a pipe waits for its writer, which may never come; and files are read more than once,
    which a pipe cannot be: a config would be empty the second time.
    """
    with suppress(OSError):  # whoever opens the file says what is wrong
        mode = path.stat().st_mode
        kind = next((word for is_it, word in _NO_FILES.items() if is_it(mode)), None)
        if kind:
            raise MissingInput(f"{path}: expected a file, found {kind}; name a file")


def _find(path: Path) -> Known | None:
    lookup = _lookup.get()
    return None if lookup is None else lookup(path)


def _compare(path: Path, known: Known, found: str) -> None:
    if found != known.sha256:
        raise Damaged(
            f"{path}: expected SHA-256 {known.sha256}, which it had when {known.since}, found "
            f"{found}; {known.advice}"
        )
