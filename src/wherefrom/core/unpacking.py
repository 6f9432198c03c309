"""Packed files, unpacked with a limit: a megabyte of gzip can hold a gigabyte of spaces.

The limit is on the ratio, which no text reaches, and on the bytes in all. A user who has such data
can unpack the file, which is then read whatever its size.
"""

import gzip
import io
import zlib
from pathlib import Path
from typing import Protocol

from wherefrom.core.errors import Damaged

MOST = 4_000_000_000  # bytes that may come out of a file
RATIO = 200  # times the packed size; text is packed to a third or a tenth of its size
FREE = 2**26  # bytes that may come out of a file of any size
_BROKEN = (gzip.BadGzipFile, EOFError, zlib.error)


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class Unpacked:
    """The bytes that come out of a file that gzip packed, up to the limit.

    `advice` says what to do with a file that passes it; else the user is told to unpack the file.
    """

    def __init__(self, file: Readable, path: Path | str, advice: str = "") -> None:
        self._packed = _Counted(file)
        self._file = gzip.GzipFile(fileobj=self._packed)  # pyright: ignore[reportArgumentType]
        self._path, self._advice, self._out = path, advice, 0

    def read(self, size: int = -1, /) -> bytes:
        """`size` bytes, or all that are left."""
        if size < 0:
            return b"".join(iter(lambda: self.read(2**20), b""))
        try:
            data = self._file.read(size)
        except _BROKEN as error:
            what_to_do = self._advice and f"; {self._advice}"
            raise Damaged(
                f"{self._path}: expected a file that gzip packed, found: {error}{what_to_do}"
            ) from None
        self._out += len(data)
        way_out = self._advice or "unpack it yourself (gunzip -k) and name that file"
        if self._out > FREE and self._out > RATIO * self._packed.count:
            raise Damaged(
                f"{self._path}: expected text that gzip packed, found more than {RATIO} times as "
                f"many bytes as are packed; {way_out}"
            )
        if self._out > MOST:
            raise Damaged(
                f"{self._path}: expected at most {MOST / 1e9:g} GB when it is unpacked, found "
                f"more; {way_out}"
            )
        return data


def unpack(data: bytes, path: Path | str, advice: str = "") -> bytes:
    """All bytes that gzip packed into `data`, which were read from `path`."""
    return Unpacked(io.BytesIO(data), path, advice).read()


class _Counted:
    """A file that counts the bytes that are read from it."""

    def __init__(self, file: Readable) -> None:
        self._file, self.count = file, 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.count += len(data)
        return data
