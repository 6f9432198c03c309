"""Whether run folders are as they were written: what `wherefrom verify` calls.

Nothing here loads torch or a model, so that a folder is checked in less than a second.
"""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from wherefrom.core.artifact import verify_folder
from wherefrom.core.errors import Damaged, Mismatch, MissingInput, WherefromError
from wherefrom.core.files import read_arrays
from wherefrom.core.inside import link_found
from wherefrom.core.manifests import MANIFEST
from wherefrom.runs.layout import (
    EVIDENCE,
    INDEX,
    STATUS,
    WEIGHTS,
    find_run,
    is_run,
    list_folders,
)
from wherefrom.runs.store import RunFiles

RETRAINED = "audit/retrained"  # run folders in a run folder
# Where only listed files are; stages/ has the rows of one that is being trained, too.
_LISTED = ("audit/", "corpus/", "models/", "predictions/")


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file of a run, in one line that begins with its path."""

    file: str
    line: str

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class Verification:
    """What was found in a run folder; `files` were compared with a manifest."""

    run: str
    files: int
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        return not self.faults


def verify(
    runs: str | PathLike[str] | Iterable[str | PathLike[str]],
) -> tuple[Verification, ...]:
    """Check run folders, or all runs in a folder; models that were retrained are checked too.

    MissingInput if a folder has no run in it.
    """
    given = [runs] if isinstance(runs, str | PathLike) else list(runs)
    return tuple(verify_run(path) for each in given for path in find_runs(find_run(each)))


def find_runs(path: Path) -> list[Path]:
    """The folder itself if it has a run, or the runs in it; each with those retrained for it."""
    own = [path] if is_run(path) else list(list_folders(path))
    if not own:
        there = "no run in it" if path.exists() else "no such folder"
        raise MissingInput(f"{path}: expected a run folder, or one with runs in it, found {there}")
    inner = {run: sorted(p for p in run.glob(f"{RETRAINED}/*") if is_run(p)) for run in own}
    return [path for run in own for path in (run, *inner[run])]


def verify_run(path: Path) -> Verification:
    """Check one run folder, without those in it."""
    check = _Check(path)
    check.links()
    check.folders()
    if check.names:
        check.listed()
        check.unlisted()
    faults = tuple(sorted(check.faults.values(), key=lambda fault: fault.file))
    return Verification(str(path), check.files, faults)


def find_spoilt(folder: RunFiles) -> set[str]:
    """The files of a run that are not as they were written."""
    listed = folder.manifest.files if folder.manifest else {}
    return {name for name in listed if not folder.is_sound(name)}


class _Check:
    def __init__(self, path: Path) -> None:
        self.folder, self.files = RunFiles(path), 0
        self.faults: dict[str, Fault] = {}  # by the file: the first is enough
        self.names = list[str]()
        with self._noting(MANIFEST):
            if self.folder.manifest is None:
                raise Damaged(f"{path / MANIFEST}: expected the run's manifest, found none")
            self.names = sorted(self.folder.manifest.files)

    def links(self) -> None:
        """Every link in the folder is a fault; what it leads to is not looked at."""
        root = self.folder.path
        for place, folders, files in os.walk(root):
            inner = Path(place)
            if inner == root / RETRAINED:  # each is checked as a run of its own
                folders[:] = [name for name in folders if (inner / name).is_symlink()]
            for name in (*folders, *files):
                if (inner / name).is_symlink():
                    self._add((inner / name).relative_to(root).as_posix(), link_found(inner / name))

    def listed(self) -> None:
        """All files that the manifest lists; the weights among them are numbers."""
        for name in self.names:
            with self._noting(name):
                weights = name.endswith(f"/{WEIGHTS}")
                self.folder.load(name, read_arrays if weights else bool)
                self.files += 1

    def folders(self) -> None:
        """Checkpoints, and what any process may make: every byte against their own manifests."""
        places = ("stages/*/checkpoints/step-*", INDEX, EVIDENCE)
        for path in sorted(p for pattern in places for p in self.folder.path.glob(pattern)):
            name = path.relative_to(self.folder.path).as_posix()
            with self._noting(name):
                verify_folder(self.folder.locate(name))
                self.files += sum(1 for _ in path.iterdir())

    def unlisted(self) -> None:
        """Where only files of a finished run are, another one was put there."""
        names, root = set(self.names), self.folder.path
        sound = STATUS in names and STATUS not in self.faults
        finished = sound and self.folder.read_json(STATUS)["state"] == "finished"
        for place in _LISTED if finished else ():
            for path in (p for p in (root / place).rglob("*") if p.is_file()):
                name = path.relative_to(root).as_posix()
                if name not in names and not _is_apart(name):
                    found = f"{path}: expected only files that {MANIFEST} lists, found this one"
                    self._add(name, Damaged(f"{found}: remove it"))

    @contextmanager
    def _noting(self, name: str) -> Generator[None]:
        try:
            yield
        except (Damaged, MissingInput, Mismatch) as error:
            self._add(name, error)

    def _add(self, name: str, found: WherefromError) -> None:
        self.faults.setdefault(name, Fault(name, str(found)))


def _is_apart(name: str) -> bool:
    return name.startswith(f"{RETRAINED}/") or "/.tmp-" in name
