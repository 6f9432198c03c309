"""Files and folders that are whole or not there: atomic writes, checksums, one writer.

A reader sees an old artifact or a new one, never half of one; what a disk or a hand changed
afterwards is found by its checksum, since a flipped bit loads without complaint. Nothing is
unpickled: arrays are safetensors, the rest is JSON.
"""

import errno
import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wherefrom.core.errors import BadData, Busy, CannotWrite, Damaged, Mismatch, MissingInput

if TYPE_CHECKING:
    import numpy as np

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
TEMPORARY = ".tmp-"  # what `sweep` removes; no reader looks at these names
_NEW, _ASIDE, _GONE = f"{TEMPORARY}new-", f"{TEMPORARY}old-", f"{TEMPORARY}gone-"
_MAX_HEADER = 4 * 2**20  # bytes of a safetensors header: tens of thousands of arrays

_ADVICE = {
    errno.ENOSPC: "free some space, then run the same command again",
    errno.EDQUOT: "free some of your quota, then run the same command again",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f), then run the same command again",
    errno.EACCES: "change the folder's permissions or name another folder",
    errno.ENOTDIR: "a file stands where a folder must be: name another folder",
    errno.EEXIST: "a file stands where a folder must be: name another folder",
}


@contextmanager
def cannot_write(path: Path) -> Iterator[None]:
    """Whatever the system refuses inside becomes one line that names the path and a way out."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "name another folder")
        reason = error.strerror or str(error)
        raise CannotWrite(f"{path}: cannot write: {reason}; {advice}") from error


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    _write(path, text.encode())


def read_json(path: Path) -> Any:
    with _reading(path):
        return _parse(path.read_bytes(), str(path))


def read_text(path: Path | str) -> str:
    """A whole text file in UTF-8; a byte-order mark at its head is dropped."""
    path = Path(path)
    with _reading(path):
        data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadData(f"{path}:{line}: expected UTF-8 text, found other bytes") from None


def append_jsonl(path: Path, rows: Iterable[Mapping[str, Any]], sync: bool = False) -> None:
    """Add rows to a file of one JSON object a line; what a crash left of a last line goes."""
    data = _lines(rows).encode()
    with cannot_write(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            _mend(file)
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_text(path, _lines(rows))


def read_jsonl(path: Path) -> list[Any]:
    """The rows; a last line without its end may be torn, any other bad line is damage."""
    with _reading(path):
        *lines, tail = path.read_bytes().split(b"\n")
    rows = [_parse(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
    return [*rows, json.loads(tail)] if _whole(tail) else rows


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with _reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def publish_folder(final: Path, facts: Mapping[str, Any]) -> Iterator[Path]:
    """Fill the yielded folder; it becomes `final`, with a manifest, if nothing goes wrong.

    The manifest holds the size and SHA-256 of every file, the facts, and its own checksum.
    """
    temporary = final.with_name(f"{_NEW}{final.name}-{secrets.token_hex(4)}")
    try:
        with cannot_write(final):
            temporary.mkdir(parents=True)
            yield temporary
            _complete(temporary, facts)
            _replace(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def verify_folder(path: Path) -> dict[str, Any]:
    """The manifest of a published folder, after every byte was compared with it."""
    if not os.path.isdir(path):
        raise MissingInput(f"{path}: expected a folder, found none")
    manifest = _read_manifest(path / MANIFEST)
    listed, found = manifest["files"], _files(path)
    for name in sorted(listed.keys() - found):
        raise Damaged(f"{path / name}: expected a file, found none")
    for name in sorted(found - listed.keys()):
        raise Damaged(f"{path / name}: expected only what {MANIFEST} lists, found this file too")
    try:
        for name, entry in listed.items():
            _verify_file(path / name, entry)
    except MissingInput as error:  # there, but the system cannot read it
        raise Damaged(str(error)) from error
    return manifest


def remove_folder(path: Path) -> None:
    """Take a folder away at once: no reader meets a half-deleted one."""
    with cannot_write(path):
        gone = path.with_name(f"{_GONE}{path.name}-{secrets.token_hex(4)}")
        path.rename(gone)
        shutil.rmtree(gone)


def sweep(parent: Path) -> None:
    """Remove what a killed writer left behind; only for who holds the lock of the run.

    A folder that was moved aside for a new one that never arrived goes back to its place.
    """
    with cannot_write(parent):
        for path in sorted(parent.glob(f"{TEMPORARY}*")):
            final = path.with_name(path.name.removeprefix(_ASIDE))
            if path.name.startswith(_ASIDE) and not final.exists():
                path.rename(final)
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def save_arrays(path: Path, arrays: "Mapping[str, np.ndarray]") -> None:
    import numpy as np
    from safetensors.numpy import save

    # safetensors copies memory from the first byte on: a transposed view would be scrambled.
    _write(path, save({name: np.asarray(array, order="C") for name, array in arrays.items()}))


def load_arrays(path: Path) -> "dict[str, np.ndarray]":
    """The arrays of a safetensors file; memory stays in proportion to the file's size."""
    from safetensors.numpy import load_file

    _check_header(path)
    try:
        return load_file(path)
    except Exception as error:  # whatever a parser makes of hostile bytes
        raise Damaged(f"{path}: expected safetensors, found: {_one_line(error)}") from error


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Be the folder's only writer. The kernel holds the lock, so a killed process frees it."""
    path = folder / ".lock"
    with cannot_write(path):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    with file:
        with cannot_write(path):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                pid = file.read(20).strip()
                who = f"process {pid}" if pid.isdecimal() else "another process"
                raise Busy(
                    f"{folder}: expected to be its only writer, found {who} writing it; "
                    "wait for it or name another folder with --out"
                ) from None
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
        yield


def _write(path: Path, data: bytes) -> None:
    with cannot_write(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{_NEW}{path.name}-{secrets.token_hex(4)}")
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync(path.parent)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error


def _parse(data: bytes, where: str) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{where}: expected JSON, found: {_one_line(error)}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Python and safetensors both let the last of two equal names win, without a word."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name that stands there twice")
    return dict(pairs)


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False, allow_nan=False) + "\n" for r in rows)


def _whole(line: bytes) -> bool:
    """Whether a line without its end is a row all the same: no part of an object is one."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _mend(file: BinaryIO) -> None:
    """Leave the file at the end of a line: the row begun there is ended or dropped."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 1, 0))
    if file.read(1) in (b"", b"\n"):
        return
    file.seek(0)
    tail = file.read().rpartition(b"\n")[2]
    if _whole(tail):
        file.write(b"\n")
    else:
        file.truncate(size - len(tail))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync a folder
            raise
    finally:
        os.close(descriptor)


def _files(folder: Path) -> set[str]:
    inside = (p for p in folder.rglob("*") if p.is_symlink() or not p.is_dir())
    return {p.relative_to(folder).as_posix() for p in inside} - {MANIFEST}


def _complete(folder: Path, facts: Mapping[str, Any]) -> None:
    """Sync what is there, then write the manifest: its presence says that all else is."""
    files = {}
    for name in sorted(_files(folder)):
        _sync(folder / name)
        size = (folder / name).stat().st_size
        files[name] = {"bytes": size, "sha256": file_hash(folder / name)}
    for inner in folder.rglob("*/"):
        _sync(inner)
    _write(folder / MANIFEST, _seal({"format_version": FORMAT_VERSION, **facts, "files": files}))


def _seal(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as bytes that hold the checksum of the rest of them."""
    body = {name: value for name, value in manifest.items() if name != "checksum"}
    plain = json.dumps(body, ensure_ascii=False, allow_nan=False)
    sealed = body | {"checksum": hashlib.sha256(plain.encode()).hexdigest()}
    return (json.dumps(sealed, indent=1, ensure_ascii=False) + "\n").encode()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        manifest = json.loads(data)
        intact = isinstance(manifest, dict) and data == _seal(manifest)
    except (OSError, ValueError, RecursionError) as error:
        raise Damaged(f"{path}: expected a manifest, found: {_one_line(error)}") from error
    if not intact:
        raise Damaged(f"{path}: expected a manifest with its own checksum, found another")
    if manifest.get("format_version") != FORMAT_VERSION:
        found = manifest.get("format_version")
        raise Mismatch(
            f"{path}: format_version: expected {FORMAT_VERSION}, found {found!r}; "
            "read it with the version of wherefrom that wrote it"
        )
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(isinstance(e, dict) for e in files.values()):
        raise Damaged(f"{path}: expected a table of files, found none")
    return manifest


def _verify_file(path: Path, entry: Mapping[str, Any]) -> None:
    if not path.is_file():
        raise Damaged(f"{path}: expected a regular file, found something else")
    size = path.stat().st_size
    if size != entry.get("bytes"):
        raise Damaged(f"{path}: expected {entry.get('bytes')} bytes, found {size}")
    found = file_hash(path)
    if found != entry.get("sha256"):
        raise Damaged(f"{path}: expected SHA-256 {entry.get('sha256')}, found {found}")


def _replace(temporary: Path, final: Path) -> None:
    """Rename into place. A folder cannot be renamed over another: the old one steps aside."""
    aside = final.with_name(f"{_ASIDE}{final.name}")
    moved = final.is_dir()
    if moved:
        shutil.rmtree(aside, ignore_errors=True)
        final.rename(aside)
    try:
        temporary.rename(final)
    except OSError:
        if moved:
            aside.rename(final)
        raise
    _sync(final.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _check_header(path: Path) -> None:
    """What safetensors lets pass: a header out of proportion, a name that stands there twice."""
    with _reading(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(_MAX_HEADER, size - 8):
            raise Damaged(
                f"{path}: expected a safetensors header of at most {_MAX_HEADER} bytes, all in "
                f"the file, found one of {length} in a file of {size}"
            )
        _parse(file.read(length), f"{path} (header)")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
