"""Reads members of a pinned archive, by allow-listed name, into memory; nothing is unpacked to a
disk. Their bytes in all have a limit."""

import io
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from wherefrom.core.errors import Damaged
from wherefrom.core.files import one_line

_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # zipfile's, for an encrypted member
)
MOST = 100_000_000  # bytes of all members


def take(data: bytes, where: str, wanted: str) -> dict[str, bytes]:
    """The plain files whose whole name matches a pattern."""
    read = _read_zip if data.startswith(b"PK") else _read_tar
    found, total = dict[str, bytes](), 0
    try:
        for name, size, content in read(data, re.compile(wanted)):
            total += size
            if total > MOST:
                raise Damaged(f"{where}: expected at most {MOST:,} bytes, found more in {name!r}")
            found[name] = content
    except _BROKEN as error:
        reason = one_line(error) or type(error).__name__
        raise Damaged(f"{where}: expected an archive, found: {reason}") from error
    if not found:
        raise Damaged(f"{where}: expected a member {wanted!r}, found none")
    return found


Member = tuple[str, int, bytes]  # its name, its size, and as many of its bytes as are allowed


def _read_zip(data: bytes, wanted: re.Pattern[str]) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if wanted.fullmatch(info.filename):
                with archive.open(info) as file:
                    yield info.filename, info.file_size, file.read(MOST)


def _read_tar(data: bytes, wanted: re.Pattern[str]) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for info in archive:
            if wanted.fullmatch(info.name) and info.isreg():
                file = archive.extractfile(info)
                yield info.name, info.size, file.read(MOST) if file else b""
