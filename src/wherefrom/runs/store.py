"""The files of a run: what is read is what was written, and a transaction changes all of its files
or none.

manifest.json lists every file with its size and SHA-256. A change writes its files under new names,
in a folder of its own (`.next-N`, N being the number of the change: the generation). Replacing
manifest.json is the commit. Afterwards the new files are moved to their places, and what they
replace is gone. So a kill leaves the old state or the new one, and a reader who meets a
writer sees one of the two: where moves are not done yet, the files are read in `.next-N`.

Only the holder of the folder's lock writes; anybody may read, without the right to write.
"""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from wherefrom.core.artifact import remove_tree, sweep
from wherefrom.core.errors import Busy, Damaged, MissingInput
from wherefrom.core.files import (
    cannot_write,
    format_json,
    format_jsonl,
    parse_json,
    parse_jsonl,
    sync,
    write_beside,
)
from wherefrom.core.inside import inside
from wherefrom.core.manifests import MANIFEST, Entry, Measured, read_manifest, spell_manifest

_NEXT = ".next-"
_TRIES = 20  # a reader starts again when a writer committed a change meanwhile
_MADE_BY = {  # how files' names begin, and the command; the first that fits
    ("predictions/", "samples/", "status.json"): "evaluate",
    ("audit/confidence.json", "audit/answered.jsonl"): "evaluate",
    ("audit/",): "audit",
    ("report.html",): "report",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Manifest:
    """What the folder has. `run` is a name that no other run has.

    `new` are the files that the last change wrote, `moved` what it renames: the new name by the
    old one, or "" for what it deletes.
    """

    run: str
    generation: int = 0
    files: Mapping[str, Entry] = field(default_factory=dict[str, Entry])
    new: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict[str, str])

    def places(self, name: str) -> tuple[str, ...]:
        """Where a file may be; it may be moved between the first look and the second."""
        return (f"{_NEXT}{self.generation}/{name}", name) if name in self.new else (name,)

    def spell(self) -> bytes:
        facts = {"run": self.run, "generation": self.generation}
        facts |= {"new": sorted(self.new), "moved": dict(self.moved)}
        return spell_manifest(facts, self.files)

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        facts, files = read_manifest(path)
        if "run" not in facts:  # that of a checkpoint, say
            raise Damaged(f"{path}: expected the manifest of a run, found another folder's")
        return cls(
            facts["run"], facts["generation"], files, tuple(facts["new"]), dict(facts["moved"])
        )


class RunFiles:
    """The files of a run folder by their names in it ("audit/confidence.json").

    One object sees one state of the folder. If another process changes a file that it has read, it
    reads no other: old and new are never mixed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._manifest: Manifest | None = None
        self._seen: dict[str, Entry | None] = {}  # what was read, or found not to be there
        self._change: _Change | None = None

    # -- reading ------------------------------------------------------------------

    def locate(self, name: str) -> Path:
        """Where a file or folder is, or will be; Damaged if a link is on the way.

        For what is not in the manifest: checkpoints, and what can be computed again.
        """
        return inside(self.path, name)

    @property
    def manifest(self) -> Manifest | None:
        """The state that this object sees; None if the folder has no run."""
        if self._manifest is None:
            self._manifest = self._load()
        return self._manifest

    def refresh(self) -> None:
        """See the folder as it is now."""
        self._manifest, self._seen = None, {}

    def has(self, name: str) -> bool:
        """Whether the manifest lists the file, which may be damaged or lost all the same."""
        if self._change and (staged := self._change.has(name)) is not None:
            return staged
        entry = self._seen[name] = self._entry(name)
        return entry is not None

    def read(self, name: str) -> bytes:
        """The bytes of a file, which are those that were written."""
        return self._find(name, lambda path, entry: entry.read(path))

    def read_json(self, name: str) -> Any:
        return parse_json(self.read(name), str(self.path / name))

    def read_text(self, name: str) -> str:
        return self.read(name).decode(errors="replace")

    def read_jsonl(self, name: str) -> list[Any]:
        return parse_jsonl(self.read(name), str(self.path / name))

    def load(self, name: str, read: Callable[[Path], T]) -> T:
        """What `read` makes of a file whose bytes were compared: for files that are large."""
        return self._find(name, lambda path, entry: read(path) if entry.holds(path) else None)

    def is_sound(self, name: str) -> bool:
        """Whether a file that the manifest lists is as it was written."""
        try:
            self.load(name, lambda path: path)
        except (Damaged, MissingInput):
            return False
        return True

    def _find(self, name: str, take: Callable[[Path, Entry], T | None]) -> T:
        if self._change and (entry := self._change.files.get(name)):
            if (found := take(self._change.place / name, entry)) is not None:
                return found
            raise self._fault(name, entry)
        for _ in range(_TRIES):
            entry = self._require(name)
            for place in self.manifest.places(name) if self.manifest else ():
                with suppress(MissingInput):
                    if (found := take(self.locate(place), entry)) is not None:
                        self._seen[name] = entry
                        return found
            if not self._look_again():
                break
        raise self._fault(name, self._require(name))

    def _require(self, name: str) -> Entry:
        path, entry = self.locate(name), self._entry(name)
        if entry is None:
            raise MissingInput(f"{path}: expected a file of the run, found none")
        return entry

    def _entry(self, name: str) -> Entry | None:
        return self.manifest.files.get(name) if self.manifest else None

    def _load(self) -> Manifest | None:
        path = self.locate(MANIFEST)
        return Manifest.read(path) if os.path.lexists(path) else None

    def _look_again(self) -> bool:
        """Whether a change was committed meanwhile; Busy if it changed what was read before."""
        before, self._manifest = self._manifest, self._load()
        if self._manifest == before:
            return False
        files = self._manifest.files if self._manifest else {}
        if any(files.get(name) != entry for name, entry in self._seen.items()):
            raise Busy(
                f"{self.path}: another process has changed the run since it was opened; "
                "run the same command again"
            )
        return True

    def _fault(self, name: str, entry: Entry) -> Damaged:
        """What is wrong with a file that is not as the manifest has it."""
        path = self.path / name
        try:
            found = entry.explain(self.locate(name))
        except MissingInput:
            found = "expected a file, found none"
        except Damaged as error:
            return error
        return Damaged(f"{path}: {found}; {remedy(name, self.path)}")

    # -- writing ------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written within becomes visible at its end, all of it or, after an error, none.

        Within it, what was written is read.
        """
        if self._change is not None:  # part of a larger change
            yield
            return
        self._change = change = self._begin()
        try:
            yield
            with cannot_write(self.path):
                self._commit(change)
        except BaseException:
            if not change.committed:
                with suppress(OSError):
                    remove_tree(change.place)
            raise
        finally:
            self._change = None

    def write(self, name: str, parts: Iterable[Any]) -> None:
        measured = Measured(parts)
        with self.transaction():
            assert self._change is not None
            self.locate(name)  # no link is where the file will be
            path = self._change.place / name
            with cannot_write(self.path / name):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                with path.open("xb") as file:
                    file.writelines(measured)
                    file.flush()
                    os.fsync(file.fileno())
            self._change.files[name] = measured.entry
            self._change.gone.discard(name)

    def write_text(self, name: str, text: str) -> None:
        self.write(name, [text.encode()])

    def write_json(self, name: str, value: Any) -> None:
        self.write_text(name, format_json(value))

    def write_jsonl(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.write_text(name, format_jsonl(rows))

    def unlist(self, *beginnings: str) -> None:
        """Take files out of the manifest, by the beginnings of their names; they stay."""
        listed = self.manifest.files if self.manifest else {}
        if names := {name for name in listed if name.startswith(beginnings)}:
            with self.transaction():
                assert self._change is not None
                self._change.gone |= names

    def remove(self, name: str) -> None:
        """Delete a file, at the end of the change."""
        with self.transaction():
            assert self._change is not None
            self._change.gone.add(name)
            self._change.moved[name] = ""

    def set_aside(self, name: str, to: str) -> None:
        """Rename a folder; its files are no longer files of the run. Within `transaction`."""
        assert self._change is not None
        self.unlist(f"{name}/")
        self._change.moved[name] = to

    def clean_up(self) -> None:
        """Finish what a killed writer committed, and remove what it left; needs the lock."""
        self.refresh()
        with cannot_write(self.path):
            if self.manifest:
                self._settle(self.manifest)
            for left in self.path.glob(f"{_NEXT}*"):
                remove_tree(left)
        sweep(self.path)

    def _begin(self) -> "_Change":
        self._look_again()  # Busy if somebody else has written what this change rests on
        before = self._manifest or Manifest(secrets.token_hex(8))
        with cannot_write(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self._settle(before)
            place = self.path / f"{_NEXT}{before.generation + 1}"
            remove_tree(place)
            place.mkdir()
        return _Change(before, place)

    def _commit(self, change: "_Change") -> None:
        if not change.files and not change.gone and not change.moved:
            change.place.rmdir()
            return
        for folder in {(change.place / name).parent for name in change.files}:
            sync(folder)
        manifest = change.applied()
        temporary = write_beside(self.locate(MANIFEST), manifest.spell())
        try:
            temporary.replace(self.path / MANIFEST)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        change.committed = True  # whatever fails from here on
        self._manifest = manifest
        self._seen |= {name: manifest.files.get(name) for name in (*change.files, *change.gone)}
        sync(self.path)
        self._settle(manifest)

    def _settle(self, manifest: Manifest) -> None:
        """Move the files of the last change to their places, unless that is done."""
        place = self.path / f"{_NEXT}{manifest.generation}"
        if not place.is_dir() or place.is_symlink():
            return
        self._rename_old(manifest)
        for name in manifest.new:
            if (found := self.locate(f"{place.name}/{name}")).exists():
                final = self.locate(name)
                final.parent.mkdir(parents=True, exist_ok=True)
                found.replace(final)
        for folder in {(self.path / name).parent for name in manifest.new}:
            sync(folder)
        remove_tree(place)

    def _rename_old(self, manifest: Manifest) -> None:
        """Rename or delete what was there before the last change."""
        for old, new in manifest.moved.items():
            found = self.locate(old)
            if not new:
                remove_tree(found)
            elif os.path.lexists(found) and not os.path.lexists(self.locate(new)):
                found.rename(self.path / new)


class _Change:
    """Files that were written under new names, to be committed together."""

    def __init__(self, before: Manifest, place: Path) -> None:
        self.before, self.place, self.committed = before, place, False
        self.files: dict[str, Entry] = {}
        self.gone: set[str] = set()
        self.moved: dict[str, str] = {}

    def has(self, name: str) -> bool | None:
        """Whether the file will be there; None if the change does not touch it."""
        return True if name in self.files else False if name in self.gone else None

    def applied(self) -> Manifest:
        left = {n: e for n, e in self.before.files.items() if n not in self.gone}
        run, generation = self.before.run, self.before.generation + 1
        return Manifest(run, generation, left | self.files, tuple(self.files), self.moved)


def remedy(name: str, run: Path) -> str:
    """What makes a damaged file of a run again."""
    for beginnings, command in _MADE_BY.items():
        if name.startswith(beginnings):
            return f"'wherefrom {command} {run}' makes it again"
    if name == "run.json":
        return "copy the folder again, or move it away and run the recipe again"
    return "the same 'wherefrom run' makes it again"
