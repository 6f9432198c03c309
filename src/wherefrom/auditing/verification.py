"""Whether run folders are as they were written, and whether their files belong together.

Nothing here loads torch or a model, so that a folder is checked in less than a second. Weights are
compared with their hashes; what follows from other files is computed again (`consistency.py`).
"""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from wherefrom.auditing.consistency import Contents, check_consistency
from wherefrom.core.artifact import MANIFEST, verify_folder
from wherefrom.core.checked_json import parse_checked
from wherefrom.core.errors import Damaged, Mismatch, MissingInput, WherefromError
from wherefrom.core.files import parse_json, parse_jsonl
from wherefrom.core.inside import link_found, read_regular
from wherefrom.core.marked_sqlite import require_whole
from wherefrom.core.seal import FILE as SEAL
from wherefrom.core.seal import Entry, Seal
from wherefrom.core.sealed_folder import SealedFolder
from wherefrom.runs.kept import unpack_dataset
from wherefrom.runs.layout import (
    CORPUS,
    DATASET,
    EVIDENCE,
    FORMAT_VERSION,
    INDEX,
    METRICS,
    RUN,
    STATUS,
    VOCABULARY,
)
from wherefrom.runs.shapes import check_corpus, check_metrics, check_status, check_symbols

RETRAINED, STUDIED = "audit/retrained", "runs"  # run folders in a run folder
_PARSED = (".json", ".jsonl")


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file of a run, in one line that begins with its path."""

    file: str
    line: str

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class Verification:
    """What was found in a run folder; `files` were compared with the seal or their own checksum.

    A folder of an earlier version is not `sealed`: its files were only checked for what they say.
    `repaired` has a line for all that was computed again, if that was asked for.
    """

    run: str
    sealed: bool
    files: int
    faults: tuple[Fault, ...]
    repaired: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.faults


def find_runs(path: Path) -> list[Path]:
    """The folder itself if it has a run, or the runs in it; each with those retrained for it, or
    those that it is a study of."""
    if _is_run(path):
        own = [path]
    else:
        own = sorted(p for pattern in ("*", "*/seed-*") for p in path.glob(pattern) if _is_run(p))
    if not own:
        there = "no run in it" if path.exists() else "no such folder"
        raise MissingInput(f"{path}: expected a run folder, or one with runs in it, found {there}")
    within = [f"{RETRAINED}/*", f"{STUDIED}/*"]
    inner = {
        run: sorted(p for pattern in within for p in run.glob(pattern) if _is_run(p)) for run in own
    }
    return [path for run in own for path in (run, *inner[run])]


def _is_run(path: Path) -> bool:
    return any(os.path.lexists(path / name) for name in (RUN, SEAL))


def verify_run(path: Path) -> Verification:
    """Check one run folder, without those in it."""
    return _Check(path).all()


class _Unsealed(SealedFolder):
    """A folder whose seal is damaged, read as one that has none."""

    def seal(self, fresh: bool = False) -> Seal | None:
        return None


class _Check:
    def __init__(self, path: Path) -> None:
        self.folder = SealedFolder(path)
        self.faults: dict[str, Fault] = {}  # by the file: the first is enough
        self.files = 0

    def all(self) -> Verification:
        self._links()
        sealed = self._seal()
        contents = Contents(
            self.folder.path,
            run=self._read(RUN, parse_json, _check_run),
            status=self._read(STATUS, parse_json, check_status, needed=False),
        )
        finished = contents.finished
        if contents.run and contents.run.get("sealed") and not sealed:
            where = self.folder.path / SEAL
            self._add(SEAL, f"{where}: expected the folder's seal, found none")
        self._folders(contents)
        if sealed:  # those of earlier versions are made anew when they are needed
            self._self_checked()
        contents.symbols = self._read(VOCABULARY, parse_json, check_symbols, needed=False)
        contents.corpus = self._read(CORPUS, parse_json, check_corpus, needed=False)
        contents.dataset = self._read(
            DATASET, lambda data, _: unpack_dataset(data, self.folder.path / DATASET), needed=False
        )
        for stage in contents.stages:
            name = f"stages/{stage}/{METRICS}"
            if finished or self._listed(name):
                self._read(name, parse_jsonl, check_metrics)
            else:
                self._unfinished_log(stage)
        self._others(finished)
        for file, line in check_consistency(contents, self._take):
            self._add(file, line)
        faults = tuple(sorted(self.faults.values(), key=lambda fault: fault.file))
        return Verification(str(self.folder.path), sealed, self.files, faults)

    # -- parts ----------------------------------------------------------------------

    def _links(self) -> None:
        """Every link in the folder is a fault; what it leads to is not looked at."""
        root = self.folder.path
        for place, folders, files in os.walk(root):
            inner = Path(place)
            if inner in (root / RETRAINED, root / STUDIED):  # each is checked as a run of its own
                folders[:] = [name for name in folders if (inner / name).is_symlink()]
            for name in (*folders, *files):
                if (inner / name).is_symlink():
                    self._add((inner / name).relative_to(root).as_posix(), inner / name)

    def _seal(self) -> bool:
        """Compare all files that the seal lists."""
        try:
            seal = self.folder.seal()
        except WherefromError as error:
            self._add(SEAL, error)
            self.folder = _Unsealed(self.folder.path)  # what the files say is checked
            return True
        for name in sorted(seal.files) if seal else ():
            with self._noting(name):
                self.folder.check(name)
                self.files += 1
        return seal is not None

    def _folders(self, contents: Contents) -> None:
        """Models and checkpoints: every byte against their manifests."""
        for name in contents.models if contents.finished else ():
            place = f"models/{name}"
            if f"{place}/{MANIFEST}" in self.faults:
                continue
            with self._noting(place):
                _, manifest = self.folder.read_folder(place)
                contents.manifests[name] = manifest
                self.files += len(manifest["files"]) + (self.folder.seal() is None)
        for path in sorted(self.folder.path.glob("stages/*/checkpoints/step-*")):
            name = path.relative_to(self.folder.path).as_posix()
            with self._noting(name):
                self.files += 1 + len(verify_folder(self.folder.locate(name))["files"])

    def _self_checked(self) -> None:
        """What any process may compute again has its own checksum."""
        for name, check in ((INDEX, require_whole), (EVIDENCE, _require_checked)):
            if os.path.lexists(self.folder.path / name):
                with self._noting(name):
                    check(self.folder.locate(name))
                    self.files += 1

    def _unfinished_log(self, stage: str) -> None:
        """The rows up to the newest checkpoint, which has their hash."""
        from wherefrom.training.checkpoints import read_logs

        newest = sorted(self.folder.path.glob(f"stages/{stage}/checkpoints/step-*/state.json"))
        with self._noting(f"stages/{stage}/{METRICS}"):
            state: Any = parse_json(read_regular(newest[-1]), str(newest[-1])) if newest else {}
            for name, entry in (read_logs(state) or {}).items():
                path = self.folder.locate(f"stages/{stage}/{name}")
                self._check_prefix(path, entry)

    def _check_prefix(self, path: Path, entry: Entry) -> None:
        if entry.size and not entry.holds(read_regular(path)[: entry.size]):
            raise Damaged(
                f"{path}: expected the rows that were written before the checkpoint, found others"
            )

    def _others(self, finished: bool) -> None:
        """Without a seal, JSON must be JSON; with one, a file that was put there is a fault."""
        seal = self.folder.seal() if SEAL not in self.faults else None
        for name in () if seal else _json_files(self.folder.path):  # a sealed file is as written
            if "/checkpoints/" not in name:
                parse = parse_jsonl if name.endswith(".jsonl") else parse_json
                self._read(name, parse, needed=False)
        if seal and finished:
            for name in _json_files(self.folder.path):
                known = name.startswith(("audit/", "predictions/", "stages/", "corpus/"))
                if known and name not in seal.files and "/checkpoints/" not in name:
                    with self._noting(name):
                        if name != EVIDENCE:
                            self.folder.check(name)

    # -- reading --------------------------------------------------------------------

    def _take(self, name: str) -> bytes | None:
        """The bytes of a sound file; None if it is missing, or a fault already."""
        if name in self.faults or not self.folder.has(name):
            return None
        with self._noting(name):
            return self.folder.read(name)
        return None

    def _read(
        self,
        name: str,
        parse: Callable[[bytes, str], Any],
        check: Callable[[Any, Path], Any] = lambda found, _: found,
        needed: bool = True,
    ) -> Any:
        if name in self.faults or (not needed and not self.folder.has(name)):
            return None
        path = self.folder.path / name
        with self._noting(name):
            return check(parse(self.folder.read(name), str(path)), path)
        return None

    def _listed(self, name: str) -> bool:
        seal = self.folder.seal() if SEAL not in self.faults else None
        return seal is not None and name in seal.files

    @contextmanager
    def _noting(self, name: str) -> Generator[None]:
        try:
            yield
        except (Damaged, MissingInput, Mismatch) as error:
            self._add(name, error)

    def _add(self, name: str, found: WherefromError | Path | str) -> None:
        line = link_found(found) if isinstance(found, Path) else found
        self.faults.setdefault(name, Fault(name, str(line)))


def _check_run(contents: Any, path: Path) -> dict[str, Any]:
    found = cast(dict[str, Any], contents if isinstance(contents, dict) else {})
    if not isinstance(found.get("recipe"), dict):
        raise Damaged(f"{path}: expected a table with a recipe, found something else")
    if (version := found.get("format_version")) != FORMAT_VERSION:
        raise Mismatch(f"{path}: expected format_version {FORMAT_VERSION}, found {version!r}")
    return found


def _require_checked(path: Path) -> None:
    parse_checked(read_regular(path), path, "fitted extractors")


def _json_files(root: Path) -> list[str]:
    """The names of all JSON files that belong to a run: those of runs within are theirs."""
    names = (p.relative_to(root).as_posix() for p in root.rglob("*") if p.suffix in _PARSED)
    inner = (RETRAINED, f"{STUDIED}/", "audit-before-", "models/")
    return sorted(n for n in names if not n.startswith((*inner, SEAL)) and "/.tmp-" not in f"/{n}")
