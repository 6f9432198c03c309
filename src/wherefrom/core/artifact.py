"""Folders that are whole or not there: a manifest with checksums, and one writer.

Checkpoints, entries of the cache, and what any process may make again for a run are such folders.
What a disk or a hand changed after a folder was published is found by its checksum.
"""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from wherefrom.core.errors import Busy, Damaged, MissingInput
from wherefrom.core.files import NEW, TEMPORARY, cannot_write, file_hash, sync, write_bytes
from wherefrom.core.inside import link_found, open_to_append
from wherefrom.core.manifests import MANIFEST, Entry, read_manifest, spell_manifest
from wherefrom.core.progress import tell

LOCK = ".lock"  # a file in the folder that is locked
_PID_BYTES = 20  # of the number of a process, in its lock
_GONE = f"{TEMPORARY}gone-"


@contextmanager
def publish_folder(final: Path, facts: Mapping[str, Any]) -> Iterator[Path]:
    """Fill the yielded folder; it becomes `final`, with a manifest, if nothing goes wrong."""
    temporary = final.with_name(f"{NEW}{final.name}-{secrets.token_hex(4)}")
    try:
        with cannot_write(final):
            temporary.mkdir(parents=True)
            yield temporary
            _complete(temporary, facts)
            if os.path.lexists(final):  # a folder cannot be renamed over another
                remove_folder(final)
            temporary.rename(final)
            sync(final.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def verify_folder(path: Path) -> dict[str, Any]:
    """The facts in the manifest of a published folder, after every byte was compared with it."""
    if path.is_symlink():
        raise link_found(path)
    if not os.path.isdir(path):
        raise MissingInput(f"{path}: expected a folder, found none")
    try:
        facts, listed = read_manifest(path / MANIFEST)
        _compare_files(path, listed)
    except MissingInput as error:  # not there, or the system cannot read it
        raise Damaged(str(error)) from error
    return facts


def _compare_files(path: Path, listed: Mapping[str, Entry]) -> None:
    """The folder must have the listed files, no others, and each as it was written."""
    found = _files(path)
    for name in sorted(listed.keys() - found):
        raise Damaged(f"{path / name}: expected a file, found none")
    for name in sorted(found - listed.keys()):
        raise Damaged(f"{path / name}: expected only what {MANIFEST} lists, found this file")
    for name, entry in listed.items():
        if fault := entry.explain(path / name):
            raise Damaged(f"{path / name}: {fault}")


def remove_folder(path: Path) -> None:
    """Take a folder away at once: no reader meets a half-deleted one."""
    with cannot_write(path):
        gone = path.with_name(f"{_GONE}{path.name}-{secrets.token_hex(4)}")
        path.rename(gone)
        remove_tree(gone)


def sweep(parent: Path) -> None:
    """Remove what a killed writer left behind; only for who holds the lock of the run."""
    with cannot_write(parent):
        for path in parent.glob(f"{TEMPORARY}*"):
            remove_tree(path)


def remove_tree(path: Path) -> None:
    """Remove a file, a folder with all in it, or a link, but not what the link leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def lock_folder(folder: Path, wait: bool = False) -> Iterator[None]:
    """Be the folder's only writer. The kernel holds the lock, so a killed process frees it.

    Another process that writes it is waited for, or else this one is refused.
    """
    path = folder / LOCK
    with cannot_write(path):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = open_to_append(path)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        with cannot_write(path):
            found = file.read(_PID_BYTES + 1).strip()
            if found and not (found.isdigit() and len(found) <= _PID_BYTES):
                raise Damaged(
                    f"{path}: expected the number of a process, found something else; remove it"
                )
            if not lock_descriptor(file.fileno(), blocking=False):
                who = f"process {found.decode()}" if found else "another process"
                if not wait:
                    raise Busy(
                        f"{folder}: expected to be its only writer, found {who} writing it; "
                        "wait for it, or use another folder"
                    )
                tell(f"waiting for {who}", 0, 1)
                lock_descriptor(file.fileno())
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
        yield


def _files(folder: Path) -> set[str]:
    inside = (p for p in folder.rglob("*") if p.is_symlink() or not p.is_dir())
    return {p.relative_to(folder).as_posix() for p in inside} - {MANIFEST}


def _complete(folder: Path, facts: Mapping[str, Any]) -> None:
    """Sync what is there, then write the manifest: its presence says that all else is."""
    files = {}
    for name in sorted(_files(folder)):
        sync(folder / name)
        files[name] = Entry((folder / name).stat().st_size, file_hash(folder / name))
    for inner in folder.rglob("*/"):
        sync(inner)
    write_bytes(folder / MANIFEST, spell_manifest(facts, files))
