"""The manifest of a folder: the size and SHA-256 of each of its files, and its own checksum.

A flipped bit in a file, or in the manifest, loads without complaint; comparing finds it. Run
folders, checkpoints and what the cache keeps all have one, called manifest.json.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from wherefrom.core.errors import Damaged, Mismatch
from wherefrom.core.files import one_line
from wherefrom.core.inside import open_regular, read_regular

MANIFEST = "manifest.json"
FORMAT_VERSION = 2
_MOST = 64 * 2**20  # bytes of a manifest: hundreds of thousands of files
_CHECKSUM = "checksum"


class Entry(NamedTuple):
    """What a file must be."""

    size: int
    sha256: str

    @classmethod
    def of(cls, parts: Iterable[Any]) -> "Entry":
        """The entry of bytes, or of arrays of bytes, one after the other."""
        measured = Measured(parts)
        for _ in measured:
            pass
        return measured.entry

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file that is what it must be, else None; no larger one is read."""
        with open_regular(path) as file:
            if _size_of(file) != self.size:
                return None
            data = file.read(self.size + 1)
        return data if Entry.of([data]) == self else None

    def holds(self, path: Path) -> bool:
        """Whether a file is what it must be; it may be larger than the memory."""
        return not self.explain(path)

    def explain(self, path: Path) -> str:
        """How a file differs from what it must be; "" if it does not."""
        with open_regular(path) as file:
            if (found := _size_of(file)) != self.size:
                return f"expected {self.size} bytes, found {found}"
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return (
            ""
            if digest == self.sha256
            else (
                f"expected SHA-256 {self.sha256[:16]}..., found {digest[:16]}...: it has changed "
                "since it was written"
            )
        )


class Measured:
    """Parts of a file that are hashed as they pass: all of them need never be there at once."""

    def __init__(self, parts: Iterable[Any]) -> None:
        self._parts, self._digest, self._size = parts, hashlib.sha256(), 0

    def __iter__(self) -> Iterator[Any]:
        for part in self._parts:
            self._digest.update(part)
            self._size += memoryview(part).nbytes
            yield part

    @property
    def entry(self) -> Entry:
        """The entry of the parts that have passed."""
        return Entry(self._size, self._digest.hexdigest())


def spell_manifest(facts: Mapping[str, Any], files: Mapping[str, Entry]) -> bytes:
    listed = {name: {"bytes": e.size, "sha256": e.sha256} for name, e in sorted(files.items())}
    return _spell({"format_version": FORMAT_VERSION, **facts, "files": listed})


def read_manifest(path: Path) -> tuple[dict[str, Any], dict[str, Entry]]:
    """The facts and the files of a manifest, after its own checksum held."""
    data = read_regular(path, _MOST)
    try:
        table = json.loads(data)
        intact = isinstance(table, dict) and data == _spell(table)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path}: expected a manifest, found: {one_line(error)}") from error
    if not intact:
        raise Damaged(f"{path}: expected a manifest with its own checksum, found another")
    if (found := table.get("format_version")) != FORMAT_VERSION:
        raise Mismatch(
            f"{path}: format_version: expected {FORMAT_VERSION}, found {found!r}; "
            "read it with the version of wherefrom that wrote it"
        )
    try:
        files = table["files"].items()
        listed = {str(n): Entry(int(e["bytes"]), str(e["sha256"])) for n, e in files}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{path}: expected a table of files, found: {error!r}") from error
    return {n: value for n, value in table.items() if n not in ("files", _CHECKSUM)}, listed


def _spell(table: Mapping[str, Any]) -> bytes:
    """The table as bytes, with the checksum of the rest of it."""
    body = {name: value for name, value in table.items() if name != _CHECKSUM}
    plain = json.dumps(body, ensure_ascii=False, allow_nan=False)
    checked = body | {_CHECKSUM: hashlib.sha256(plain.encode()).hexdigest()}
    return (json.dumps(checked, indent=1, ensure_ascii=False) + "\n").encode()


def _size_of(file: BufferedReader) -> int:
    return os.fstat(file.fileno()).st_size
