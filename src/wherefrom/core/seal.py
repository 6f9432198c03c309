"""The seal of a folder: the size and SHA-256 of each of its files, in one file beside them.

`files` says what every file must be. `moves` are the renames that belong to the last change: the
seal is written after the new files have been written under temporary names and before they are
renamed. Whoever finds a file as it was before looks under its temporary name. So a change of many
files happens at one moment, when the seal is renamed into place, whatever is killed and when.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from wherefrom.core.artifact import MANIFEST
from wherefrom.core.checked_json import parse_checked, spell_checked
from wherefrom.core.errors import Damaged, Mismatch

FILE = "seal.json"
FORMAT_VERSION = 1
MODELS = "models/"


class Entry(NamedTuple):
    """What a file must be; `model` is the hash of the models that it was computed with, if any."""

    size: int
    sha256: str
    model: str | None = None

    @classmethod
    def of(cls, parts: Iterable[Any]) -> "Entry":
        """Of bytes, or arrays of bytes, one after the other."""
        measured = Measured(parts)
        for _ in measured:
            pass
        return measured.entry

    def as_json(self) -> dict[str, Any]:
        bound = {"model": self.model} if self.model else {}
        return {"bytes": self.size, "sha256": self.sha256} | bound

    def holds(self, data: bytes) -> bool:
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256


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
        """Of the parts that have passed."""
        return Entry(self._size, self._digest.hexdigest())


@dataclass(frozen=True)
class Seal:
    files: Mapping[str, Entry] = field(default_factory=dict[str, Entry])
    moves: Mapping[str, str] = field(default_factory=dict[str, str])  # by the final name

    @property
    def model(self) -> str | None:
        """A hash over the manifests of all models, which have the hashes of the weights."""
        found = {n: e.sha256 for n, e in self.files.items() if _is_model(n)}
        spelt = "".join(f"{name} {found[name]}\n" for name in sorted(found))
        return hashlib.sha256(spelt.encode()).hexdigest() if found else None

    def elsewhere(self, name: str) -> str | None:
        """The temporary name of a file, or of a file in a folder, that is still to be renamed."""
        for final, temporary in self.moves.items():
            if name == final or name.startswith(f"{final}/"):
                return temporary + name.removeprefix(final)
        return None

    def spell(self) -> bytes:
        files = {name: self.files[name].as_json() for name in sorted(self.files)}
        moves = dict(sorted(self.moves.items()))
        table = {"format_version": FORMAT_VERSION, "files": files, "moves": moves}
        return spell_checked(table)

    @classmethod
    def parse(cls, data: bytes, path: Path) -> "Seal":
        table = parse_checked(data, path, "a seal")
        if table.get("format_version") != FORMAT_VERSION:
            raise Mismatch(
                f"{path}: format_version: expected {FORMAT_VERSION}, found "
                f"{table.get('format_version')!r}; read it with the version of wherefrom that "
                "wrote it"
            )
        try:
            files = {str(name): _entry(**row) for name, row in table["files"].items()}
            moves = {str(final): str(now) for final, now in table["moves"].items()}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Damaged(f"{path}: expected files and moves, found: {error!r}") from error
        return cls(files, moves)


def _is_model(name: str) -> bool:
    return name.startswith(MODELS) and name.endswith(f"/{MANIFEST}")


def _entry(bytes: int, sha256: str, model: str | None = None) -> Entry:
    return Entry(int(bytes), str(sha256), None if model is None else str(model))
