"""Columns of numbers that grow at their end: in memory, or in files that are mapped later."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wherefrom.core.errors import Damaged
from wherefrom.core.files import read_json, reading, write_json

Kind = type[np.generic]  # a type of numbers
_KINDS = "kinds.json"
_SPELT = {np.dtype(k).name: k for k in (np.uint8, np.int16, np.int32, np.int64, np.bool_)}


class MemoryColumns:
    """Columns as arrays."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds
        self._parts: dict[str, list[np.ndarray]] = {name: [] for name in kinds}

    def extend(self, name: str, numbers: np.ndarray) -> None:
        """Add numbers to the end of a column."""
        self._parts[name].append(numbers.astype(self._kinds[name]))

    def finish(self) -> dict[str, np.ndarray]:
        """The whole columns by their names; nothing can be added any more."""
        found = {}
        for name, kind in self._kinds.items():
            parts = self._parts.pop(name)  # no column is there twice for longer than needed
            found[name] = np.concatenate(parts) if parts else np.empty(0, kind)
        return found


class FileColumns:
    """A file for each column, with nothing in it but the numbers, and one that says their types."""

    def __init__(self, folder: Path, kinds: Mapping[str, Kind]) -> None:
        self._folder, self._kinds = folder, kinds

    def extend(self, name: str, numbers: np.ndarray) -> None:
        kind = np.dtype(self._kinds[name]).newbyteorder("<")
        with (self._folder / _file(name)).open("ab") as file:
            file.write(numbers.astype(kind).data)

    def finish(self) -> dict[str, np.ndarray]:
        spelt = {name: np.dtype(kind).name for name, kind in self._kinds.items()}
        write_json(self._folder / _KINDS, spelt)
        return map_columns(self._folder)


Columns = MemoryColumns | FileColumns


def map_columns(folder: Path) -> dict[str, np.ndarray]:
    """The columns that were written, mapped into memory: what is never read takes none."""
    kinds = read_json(folder / _KINDS)
    try:
        return {name: _map_column(folder / _file(name), _SPELT[kinds[name]]) for name in kinds}
    except KeyError as error:
        raise Damaged(f"{folder / _KINDS}: expected types of numbers, found {error}") from None


def _map_column(path: Path, kind: Kind) -> np.ndarray:
    """Pages are read when they are needed. Changing the array does not change the file."""
    with reading(path):
        return np.memmap(path, np.dtype(kind).newbyteorder("<"), mode="c")


def _file(name: str) -> str:
    return f"{name}.column"
