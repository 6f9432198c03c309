"""Reads members of an archive, by allow-listed name, into memory; nothing is unpacked to a disk.

A checksum proves that an archive is the one we pinned, not that its author meant well. So a wanted
member must be a plain file, occur once and stay below a size; every other member is skipped.
"""

import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

from wherefrom.core.errors import Damaged
from wherefrom.core.files import one_line

_MOST_SKIPPED = 2**30  # bytes of unwanted members, which a packed stream must still unpack
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # zipfile's, for an encrypted member
)


def take(data: bytes, where: str, wanted: str, limit: int) -> dict[str, bytes]:
    """The members whose whole name matches a pattern; `limit` bounds their bytes in all."""
    pattern, found, total = re.compile(wanted), {}, 0
    try:
        for name, plain, file in _members(data, pattern):
            if not plain:
                raise Damaged(f"{where}: expected a plain file {name!r}, found something else")
            if name in found:
                raise Damaged(f"{where}: expected {name!r} once, found it twice")
            # A header may lie about the size, so count the bytes that come out.
            found[name] = file.read(limit - total + 1)
            total += len(found[name])
            if total > limit:
                raise Damaged(f"{where}: expected at most {limit:,} bytes, found more in {name!r}")
    except _BROKEN as error:
        reason = one_line(error) or type(error).__name__
        raise Damaged(f"{where}: expected an archive, found: {reason}") from error
    if not found:
        raise Damaged(f"{where}: expected a member {wanted!r}, found none")
    return found


Member = tuple[str, bool, IO[bytes]]  # its name, whether it is a plain file, and its bytes


def _members(data: bytes, wanted: re.Pattern[str]) -> Iterable[Member]:
    zipped = data.startswith(b"PK")
    return _zip_members(data, wanted) if zipped else _tar_members(data, wanted)


def _zip_members(data: bytes, wanted: re.Pattern[str]) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if wanted.fullmatch(info.filename):
                kind = stat.S_IFMT(info.external_attr >> 16)
                plain = kind in (0, stat.S_IFREG) and not info.is_dir()
                with archive.open(info) as file:
                    yield info.filename, plain, file


def _tar_members(data: bytes, wanted: re.Pattern[str]) -> Iterator[Member]:
    skipped = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as archive:
        for info in archive:
            if not wanted.fullmatch(info.name):
                skipped += info.size
                if skipped > _MOST_SKIPPED:
                    raise tarfile.TarError("members of more bytes than any package has")
                continue
            file = archive.extractfile(info) if info.isreg() else None
            yield info.name, file is not None, file or io.BytesIO()
