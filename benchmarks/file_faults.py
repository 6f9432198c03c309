"""File operations that fail, write half, or are the last before a kill: one at a time, counted.

SQLite tests its commits in this way: run the same save again and again, and let another of its file
operations go wrong each time, until none is left. A kill is simulated: from that operation on
nothing reaches the disk, whatever the code still tries to clean up. `attack.py` counts the cases,
and the tests run all of them.
"""

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

KINDS = ("fail", "short", "kill", "torn")
# fail: the operation is refused, and the program goes on. short: a write stores half and is then
# refused. kill: the program ends before the operation. torn: a write stores half, and it ends.
_WRITES = ("write", "ftruncate")
_PLAIN = ("replace", "rename", "mkdir", "unlink", "rmdir", "fsync")
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Killed(BaseException):
    """The simulated process is gone: no handler of an ordinary error may see this."""


class FaultyFiles:
    """Counts the operations that change files, and spoils the one of a given number."""

    def __init__(self, kind: str = "", number: int = 0) -> None:
        self.kind, self.number = kind, number
        self.count, self.dead = 0, False
        self.names: list[str] = []

    def reach(self, name: str, half: Callable[[], Any] | None = None) -> None:
        """Called before each operation: raises if it is the one that goes wrong."""
        if self.dead:
            raise Killed
        self.count += 1
        self.names.append(name)
        if self.count != self.number:
            return
        if self.kind in ("short", "torn") and half is not None:
            half()
        if self.kind in ("kill", "torn"):
            self.dead = True
            raise Killed
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def installed(self) -> Iterator["FaultyFiles"]:
        real = {name: getattr(os, name) for name in (*_WRITES, *_PLAIN, "open")}
        opened = Path.open
        patches = [mock.patch.object(os, name, self._plain(name, real[name])) for name in _PLAIN]

        def write(descriptor: int, data: Any) -> int:
            self.reach("write", lambda: real["write"](descriptor, bytes(data)[: len(data) // 2]))
            return real["write"](descriptor, data)

        def truncate(descriptor: int, size: int) -> None:
            self.reach("ftruncate")
            real["ftruncate"](descriptor, size)

        def open_descriptor(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            if flags & _CHANGES:
                self.reach("open")
            elif self.dead:
                raise Killed
            return real["open"](path, flags, *rest, **options)

        def open_file(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
            if not set(mode) & set("wxa+"):
                return opened(path, mode, *rest, **options)
            self.reach("create")
            return _File(opened(path, mode, 0), self)  # unbuffered: what is written is written

        patches += [
            mock.patch.object(os, "write", write),
            mock.patch.object(os, "ftruncate", truncate),
            mock.patch.object(os, "open", open_descriptor),
            mock.patch.object(Path, "open", open_file),
        ]
        for patch in patches:
            patch.start()
        try:
            yield self
        finally:
            for patch in reversed(patches):
                patch.stop()

    def _plain(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def operate(*arguments: Any, **options: Any) -> Any:
            self.reach(name)
            return None if name == "fsync" else real(*arguments, **options)  # no disk is lost here

        return operate


class _File:
    """A file that is written to, each write being an operation."""

    def __init__(self, file: io.RawIOBase, faults: FaultyFiles) -> None:
        self._file, self._faults = file, faults

    def write(self, data: Any) -> int:
        held = memoryview(data).cast("B")
        self._faults.reach("write", lambda: self._file.write(held[: held.nbytes // 2]))
        return self._file.write(held)

    def writelines(self, parts: Any) -> None:
        for part in parts:
            self.write(part)

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def each_fault(act: Callable[[], object], prepare: Callable[[], None]) -> Iterator[tuple[str, int]]:
    """Carry `act` out once for each operation and kind of fault; yields after each.

    `prepare` makes the state to begin with. What the act raises, it raises to a user: only a
    Killed, or an error of one line, may come out.
    """
    from wherefrom.core.errors import WherefromError

    prepare()
    with FaultyFiles().installed() as counted:
        act()
    for kind in KINDS:
        for number in range(1, counted.count + 1):
            writes = counted.names[number - 1] == "write"
            if kind in ("short", "torn") and not writes:
                continue
            prepare()
            with FaultyFiles(kind, number).installed(), suppress(Killed, WherefromError):
                act()
            yield kind, number
