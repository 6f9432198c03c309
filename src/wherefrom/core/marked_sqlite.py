"""SQLite files that carry a check in themselves: a hash of the file, in two unused header fields.

Any process may build a run's index, several at once, so it is not in the run folder's seal. SQLite
leaves the fields "user version" and "application id" to the application, four bytes each. They hold
the first eight bytes of the SHA-256 of the file in which they are zero.
"""

import hashlib
from pathlib import Path
from typing import BinaryIO

from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.files import sync
from wherefrom.core.inside import open_regular

_FIELDS = (60, 68)  # where they begin in the header
_HEADER = 100
_CHUNK = 2**20  # bytes that are hashed at once: an index may be larger than the memory


def mark_whole(path: Path) -> None:
    """Write the hash into a finished file, and sync it."""
    with path.open("r+b") as file:
        mark, _ = _compute(file)
        for i, place in enumerate(_FIELDS):
            file.seek(place)
            file.write(mark[4 * i : 4 * i + 4])
    sync(path)


def require_whole(path: Path) -> None:
    """Damaged if a bit of the file is not as it was written."""
    with open_regular(path) as file:
        try:
            expected, found = _compute(file)
        except OSError as error:  # there, but the system cannot read it
            raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error
    if found != expected:
        raise Damaged(
            f"{path}: expected an index with the hash of its content, found another; "
            "delete it, and it is built anew"
        )


def _compute(file: BinaryIO) -> tuple[bytes, bytes]:
    """The mark that a file must have, and the one that it has; none if it is too short."""
    header = bytearray(file.read(_HEADER))
    found = b"".join(header[place : place + 4] for place in _FIELDS)
    if len(header) < _HEADER:
        found = b""
    for place in _FIELDS:
        header[place : place + 4] = bytes(4)
    digest = hashlib.sha256(header)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.digest()[:8], found
