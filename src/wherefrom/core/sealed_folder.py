"""A folder whose files are read and written through its seal (`seal.py`).

Every file that is read is compared with the seal. Several files that belong together are written
together: a reader, or a crash, finds all of them as they were or all of them as they are now. Only
the holder of the folder's lock writes; anybody may read. Reading needs no right to write: where a
killed writer left renames undone, the files are read under their temporary names.

A folder of an earlier version has no seal. It is read and written in the same way, unchecked.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import (
    MANIFEST,
    replace_folder,
    sweep,
    verify_folder,
    write_folder_beside,
)
from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.files import (
    cannot_write,
    parse_json,
    parse_jsonl,
    spell_json,
    spell_jsonl,
    sync,
    write_beside,
)
from wherefrom.core.inside import inside, read_regular
from wherefrom.core.seal import FILE, Entry, Measured, Seal

_TRIES = 20  # a reader starts again when a writer changed the seal meanwhile


class SealedFolder:
    """The files of a folder by their names in it ("audit/confidence.json")."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seal: Seal | None = None
        self._change: _Change | None = None

    # -- reading ------------------------------------------------------------------

    def locate(self, name: str) -> Path:
        """Where a file or folder is, or will be; Damaged if a link is on the way.

        For what carries its own checksum: checkpoints, and what can be computed again.
        """
        return inside(self.path, name)

    def has(self, name: str) -> bool:
        """Whether the file is there, or should be: one that is lost is not taken for none."""
        if self._change and name in self._change.entries:
            return True
        seal = self.seal()
        return (seal is not None and name in seal.files) or os.path.lexists(self.path / name)

    def read(self, name: str) -> bytes:
        """The bytes of a file, which are those that were written."""
        if self._change and (staged := self._change.find(name)):
            return read_regular(self.path / staged)
        return self._find(name)[1]

    def read_json(self, name: str) -> Any:
        return parse_json(self.read(name), str(self.path / name))

    def read_text(self, name: str) -> str:
        return self.read(name).decode(errors="replace")

    def read_jsonl(self, name: str) -> list[Any]:
        return parse_jsonl(self.read(name), str(self.path / name))

    def read_folder(self, name: str) -> tuple[Path, dict[str, Any]]:
        """A folder with a manifest, every byte compared: where it is, and the manifest."""
        if self._change and (staged := self._change.find(name)):
            return self.path / staged, verify_folder(self.path / staged)
        if self.seal() is None:
            path = self.locate(name)
        else:
            path = self._find(f"{name}/{MANIFEST}")[0].parent
        return path, verify_folder(path)

    def seal(self, fresh: bool = False) -> Seal | None:
        """The folder's seal, None in a folder of an earlier version; `fresh`: read it again."""
        if self._seal is None or fresh:
            try:
                data = read_regular(self.locate(FILE))
            except MissingInput:
                self._seal = None
            else:
                self._seal = Seal.parse(data, self.path / FILE)
        return self._seal

    def check(self, name: str) -> None:
        """Damaged or MissingInput unless the file is as the seal has it."""
        self._find(name)

    def _find(self, name: str) -> tuple[Path, bytes]:
        path, seal = self.locate(name), self.seal()
        for _ in range(_TRIES):
            if seal is None:
                return path, read_regular(path)
            if found := self._try(name, seal):
                return found
            before, seal = seal, self.seal(fresh=True)
            if seal == before:
                break
        raise self._fault(name)

    def _try(self, name: str, seal: Seal) -> tuple[Path, bytes] | None:
        """The file if it is as the seal has it, where it is now."""
        if (entry := seal.files.get(name)) is None:
            return None
        # It may be renamed between the first look and the second: hence the third.
        for place in (name, seal.elsewhere(name), name):
            with suppress(MissingInput):
                path = self.locate(place) if place else None
                if path and entry.holds(data := read_regular(path)):
                    return (path, data) if self._belongs(name, seal) else None
        return None

    def _belongs(self, name: str, seal: Seal) -> bool:
        entry = seal.files[name]
        return entry.model is None or entry.model == seal.model

    def _fault(self, name: str) -> Damaged | MissingInput:
        """What is wrong with a file that is not as the seal has it."""
        path, seal = self.path / name, self.seal()
        entry = seal.files.get(name) if seal else None
        there = os.path.lexists(path)
        if entry is None:
            if not there:
                return MissingInput(f"{path}: expected a file, found none")
            return Damaged(
                f"{path}: expected only files that {FILE} lists, found this one; it was put there "
                "or changed by something else: remove it"
            )
        advice = f"copy it anew, or see what 'wherefrom verify --repair {self.path}' can do"
        if not there:
            return Damaged(f"{path}: expected a file, found none; {advice}")
        data = read_regular(path)
        if entry.holds(data):
            return Damaged(
                f"{path}: expected a file about the models that are here, found one about others; "
                f"{advice}"
            )
        if len(data) != entry.size:
            return Damaged(f"{path}: expected {entry.size} bytes, found {len(data)}; {advice}")
        found = Entry.of([data]).sha256
        return Damaged(
            f"{path}: expected SHA-256 {entry.sha256[:16]}..., found {found[:16]}...: it has "
            f"changed since it was written; {advice}"
        )

    # -- writing ------------------------------------------------------------------

    @contextmanager
    def together(self, sealing: bool = False, anew: bool = False) -> Iterator[None]:
        """What is written within becomes visible at its end, all of it or, after an error, none.

        Within it, what was written is read. `sealing` makes the first seal of a folder, `anew` one
        that replaces whatever seal is there.
        """
        if self._change is not None:  # part of a larger change
            self._change.sealing |= sealing
            yield
            return
        self._change = change = _Change(self.path, sealing, anew)
        try:
            yield
            self._publish(change)
        except BaseException:
            change.discard()
            raise
        finally:
            self._change = None

    def write(self, name: str, parts: Iterable[Any], of_model: bool = False) -> None:
        """Write a file; `of_model`: it was computed with the models that the folder has."""
        measured = Measured(parts)
        with self.together():
            assert self._change is not None
            path = self.locate(name)
            with cannot_write(path):
                temporary = write_beside(path, measured)
            self._change.add(name, temporary, measured.entry, of_model)

    def write_text(self, name: str, text: str, of_model: bool = False) -> None:
        self.write(name, [text.encode()], of_model)

    def write_json(self, name: str, value: Any, of_model: bool = False) -> None:
        self.write_text(name, spell_json(value), of_model)

    def write_jsonl(
        self, name: str, rows: Iterable[Mapping[str, Any]], of_model: bool = False
    ) -> None:
        self.write_text(name, spell_jsonl(rows), of_model)

    @contextmanager
    def write_folder(self, name: str, facts: Mapping[str, Any]) -> Iterator[Path]:
        """Fill the yielded folder; it becomes the folder of that name, with a manifest."""
        with self.together():
            assert self._change is not None
            with write_folder_beside(self.locate(name), facts) as temporary:
                yield temporary
            manifest = Entry.of([read_regular(temporary / MANIFEST)])
            self._change.add(name, temporary, manifest, inner=MANIFEST)

    def list_file(self, name: str, entry: Entry) -> None:
        """Seal a file that was written in place, a row at a time, and is complete now."""
        if self.seal() is not None:
            with self.together():
                assert self._change is not None
                self._change.entries[name] = entry, False

    def adopt(self, name: str, of_model: bool = False) -> None:
        """Seal a file as it is; only within `together`."""
        assert self._change is not None
        entry = Entry.of([read_regular(self.locate(name))])
        self._change.entries[name] = entry, of_model

    def unlist(self, *beginnings: str) -> None:
        """Take files out of the seal, by the beginnings of their names."""
        seal = self.seal()
        if seal and any(name.startswith(beginnings) for name in seal.files):
            with self.together():
                assert self._change is not None
                self._change.unlisted += beginnings

    def recover(self, *folders: str) -> None:
        """Finish what a killed writer began, and remove what it left; for who holds the lock.

        `folders` are patterns of the folders to sweep besides the first.
        """
        if seal := self.seal(fresh=True):
            self._rename(seal)
        sweep(self.path)
        for folder in (f for pattern in folders for f in sorted(self.path.glob(pattern))):
            with suppress(Damaged):  # a link: what it leads to is not ours
                if (found := self.locate(folder.relative_to(self.path).as_posix())).is_dir():
                    sweep(found)

    def _publish(self, change: "_Change") -> None:
        """Write the new seal, then rename what was written to its place."""
        before = None if change.anew else self.seal(fresh=True)
        if before is None and not change.sealing:
            with cannot_write(self.path):
                for final, temporary in change.moves.items():
                    _put(self.path / temporary, self.path / final)
            return
        before = before or Seal()
        with cannot_write(self.path):
            self._rename(before)  # what a killed writer left undone
            seal = change.applied_to(before)
            temporary = write_beside(self.locate(FILE), [seal.spell()])
            try:
                temporary.replace(self.path / FILE)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            # From here on the change has happened, even if a rename fails.
            change.moves, self._seal = {}, seal
            sync(self.path)
            self._rename(seal)

    def _rename(self, seal: Seal) -> None:
        for final, temporary in seal.moves.items():
            if os.path.lexists(found := self.locate(temporary)):
                _put(found, self.locate(final))


class _Change:
    """Files that were written under temporary names, to be published together."""

    def __init__(self, root: Path, sealing: bool, anew: bool) -> None:
        self.root, self.sealing, self.anew = root, sealing, anew
        self.moves: dict[str, str] = {}  # the temporary name, by the final one
        self.entries: dict[str, tuple[Entry, bool]] = {}  # and whether it belongs to the models
        self.unlisted: tuple[str, ...] = ()

    def add(
        self, name: str, temporary: Path, entry: Entry, of_model: bool = False, inner: str = ""
    ) -> None:
        """`inner`: the file in a folder that the entry is about."""
        if earlier := self.moves.get(name):
            _remove(self.root / earlier)
        self.moves[name] = temporary.relative_to(self.root).as_posix()
        self.entries[f"{name}/{inner}" if inner else name] = entry, of_model

    def find(self, name: str) -> str | None:
        return self.moves.get(name)

    def applied_to(self, seal: Seal) -> Seal:
        files = {n: e for n, e in seal.files.items() if not n.startswith(self.unlisted or ("\0",))}
        files |= {name: entry for name, (entry, _) in self.entries.items()}
        model = Seal(files).model
        bound = {
            n: e._replace(model=model) for n, (e, of_model) in self.entries.items() if of_model
        }
        return Seal(files | bound, dict(self.moves))

    def discard(self) -> None:
        for temporary in self.moves.values():
            _remove(self.root / temporary)


def _put(temporary: Path, final: Path) -> None:
    if temporary.is_dir():
        replace_folder(temporary, final)
    else:
        temporary.replace(final)
        sync(final.parent)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
