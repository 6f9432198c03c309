"""SQLite files that carry a check in themselves: a hash of the file, in two unused header fields.

Any process may build a run's index, several at once, so it is not in the run folder's seal. SQLite
leaves the fields "user version" and "application id" to the application, four bytes each. They hold
the first eight bytes of the SHA-256 of the file in which they are zero.
"""

import hashlib
from pathlib import Path

from wherefrom.core.errors import Damaged
from wherefrom.core.files import sync
from wherefrom.core.inside import read_regular

_FIELDS = (60, 68)  # where they begin in the header
_HEADER = 100


def mark_whole(path: Path) -> None:
    """Write the hash into a finished file, and sync it."""
    mark = _compute(path.read_bytes())
    with path.open("r+b") as file:
        for i, place in enumerate(_FIELDS):
            file.seek(place)
            file.write(mark[4 * i : 4 * i + 4])
    sync(path)


def require_whole(path: Path) -> None:
    """Damaged if a bit of the file is not as it was written."""
    data = read_regular(path)
    found = b"".join(data[place : place + 4] for place in _FIELDS)
    if len(data) < _HEADER or found != _compute(data):
        raise Damaged(
            f"{path}: expected an index with the hash of its content, found another; "
            "delete it, and it is built anew"
        )


def _compute(data: bytes) -> bytes:
    header = bytearray(data[:_HEADER])
    for place in _FIELDS:
        header[place : place + 4] = bytes(4)
    digest = hashlib.sha256(header)
    digest.update(memoryview(data)[_HEADER:])
    return digest.digest()[:8]
