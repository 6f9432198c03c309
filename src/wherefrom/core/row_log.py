"""A file that rows are added to while a model trains, and what makes damage to it noticed.

The writer knows the hash of all that it wrote. Each checkpoint keeps that hash, so a run that is
continued compares the rows up to the checkpoint with it, and drops the rows after it. When the
stage is done, the file is sealed like any other.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from wherefrom.core.errors import Damaged
from wherefrom.core.files import cannot_write, parse_jsonl, spell_jsonl, write_bytes
from wherefrom.core.inside import open_to_append, read_regular
from wherefrom.core.seal import Entry


class RowLog:
    """Rows of JSON, one a line. Nothing is written before `resume` was called."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest, self._size = hashlib.sha256(), 0

    @property
    def entry(self) -> Entry:
        """The size and hash of all rows that were written."""
        return Entry(self._size, self._digest.hexdigest())

    def resume(self, kept: Entry | None, keep: Callable[[Any], bool]) -> list[Any]:
        """Drop the rows after a checkpoint, and return those before it.

        `kept` is what the checkpoint says of the file; a checkpoint of an earlier version says
        nothing, and `keep` decides row by row. A file that is gone begins anew.
        """
        if not os.path.lexists(self.path):
            return []
        data = read_regular(self.path)
        if kept is None:
            rows = [row for row in parse_jsonl(data, str(self.path)) if keep(row)]
            left = spell_jsonl(rows).encode()
        else:
            left = data[: kept.size]
            if not kept.holds(left):
                raise Damaged(
                    f"{self.path}: expected the rows that were written before the checkpoint, "
                    "found others; move the file away, and training continues without them"
                )
            rows = parse_jsonl(left, str(self.path))
        if left != data:
            write_bytes(self.path, left)
        self._digest, self._size = hashlib.sha256(left), len(left)
        return rows

    def append(self, rows: Iterable[Mapping[str, Any]], sync: bool = False) -> None:
        data = spell_jsonl(rows).encode()
        if not data and not os.path.lexists(self.path):
            return
        with cannot_write(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_to_append(self.path), "r+b", buffering=0) as file:
                self._mend(file.fileno())
                _write_all(file.fileno(), data)
                self._digest.update(data)
                self._size += len(data)
                if sync:
                    os.fsync(file.fileno())

    def _mend(self, descriptor: int) -> None:
        """Cut what a write that failed half-way left."""
        size = os.fstat(descriptor).st_size
        if size > self._size:
            os.ftruncate(descriptor, self._size)
        elif size < self._size:
            raise Damaged(
                f"{self.path}: expected {self._size} bytes, found {size}: something else writes "
                "the file; move it away, and run the same command again"
            )


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
