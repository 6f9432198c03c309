"""Reads members of an archive, by allow-listed name, into memory; nothing is unpacked to a disk.

A checksum proves that an archive is the one we pinned, not that its author meant well. So a wanted
member must be a plain file, occur once and stay below a size; every other member is skipped.
"""

import io
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

from wherefrom.core.errors import Damaged
from wherefrom.core.files import one_line
from wherefrom.core.unpacking import Readable, Unpacked

_MOST_SKIPPED = 2**28  # bytes of unwanted members and headers, which a stream must still unpack
_MOST_MEMBERS = 100_000
_GZIP = b"\x1f\x8b"
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # zipfile's, for an encrypted member
)


def take(data: bytes, where: str, wanted: str, limit: int) -> dict[str, bytes]:
    """The members whose whole name matches a pattern; `limit` bounds their bytes in all."""
    pattern, found, total = re.compile(wanted), {}, 0
    try:
        for name, plain, file in _members(data, pattern, limit):
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


def _members(data: bytes, wanted: re.Pattern[str], limit: int) -> Iterable[Member]:
    if data.startswith(b"PK"):
        return _zip_members(data, wanted)
    stream: Readable = io.BytesIO(data)
    if data.startswith(_GZIP):  # counted here: tarfile reads a header of any length
        advice = "nothing of it was used"
        stream = Unpacked(stream, "archive", advice, most=limit + _MOST_SKIPPED)
    return _tar_members(stream, wanted)


def _zip_members(data: bytes, wanted: re.Pattern[str]) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _require_few(len(archive.infolist()))
        for info in archive.infolist():
            if wanted.fullmatch(info.filename):
                kind = stat.S_IFMT(info.external_attr >> 16)
                plain = kind in (0, stat.S_IFREG) and not info.is_dir()
                with archive.open(info) as file:
                    yield info.filename, plain, file


def _tar_members(stream: Readable, wanted: re.Pattern[str]) -> Iterator[Member]:
    skipped = 0
    with tarfile.open(fileobj=stream, mode="r|") as archive:  # pyright: ignore
        for number, info in enumerate(archive):
            _require_few(number)
            archive.members.clear()  # tarfile would keep every one
            if not wanted.fullmatch(info.name):
                skipped += info.size
                if skipped > _MOST_SKIPPED:
                    raise tarfile.TarError("members of more bytes than any package has")
                continue
            file = archive.extractfile(info) if info.isreg() else None
            yield info.name, file is not None, file or io.BytesIO()


def _require_few(count: int) -> None:
    if count > _MOST_MEMBERS:
        raise ValueError(f"more than {_MOST_MEMBERS:,} members")
