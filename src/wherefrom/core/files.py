"""Files that are whole or not there: atomic writes, strict reading, errors that say what to do.

A reader sees an old file or a new one, never half of one.
"""

import errno
import hashlib
import json
import math
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wherefrom.core.encodings import explain_bytes
from wherefrom.core.errors import BadData, CannotWrite, Damaged, MissingInput

if TYPE_CHECKING:  # numpy takes a tenth of a second, which a command's help need not wait for
    import numpy as np

TEMPORARY = ".tmp-"  # what `artifact.sweep` removes; no reader looks at these names
NEW = f"{TEMPORARY}new-"
_DEEPEST = 60  # levels: what we write has under ten
_LARGEST = 1e30  # of a weight or a moment; float32 ends at 3e38, and nothing near it computes
_MOST_HEADER = 4 * 2**20  # bytes: tens of thousands of arrays
_NO_FILES = {
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
}

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
    write_text(path, format_json(value))


def format_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Under a temporary name, synced, then renamed into place, and the folder synced."""
    with cannot_write(path):
        temporary = write_beside(path, data)
        try:
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync(path.parent)


def write_beside(path: Path, data: bytes) -> Path:
    """Write what `path` will hold under a temporary name beside it, synced; returns that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{NEW}{path.name}-{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:  # a new file: no link is followed, nothing overwritten
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def read_json(path: Path) -> Any:
    with reading(path):
        return parse_json(path.read_bytes(), str(path))


def read_text(path: Path | str) -> str:
    """A whole text file in UTF-8, without NUL; a byte-order mark at its head is dropped."""
    path = Path(path)
    with reading(path):
        require_file(path)
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, data, error.start) from None
    if (place := text.find("\0")) >= 0:
        line = text[:place].count("\n") + 1
        raise BadData(f"{path}:{line}: expected text, found a NUL byte; it is a binary file")
    return text


def not_utf8(path: Path, data: bytes, start: int, first_line: int = 1) -> BadData:
    """The error for bytes that are not UTF-8, with the encoding that they seem to have."""
    line = data[:start].count(b"\n") + first_line
    return BadData(f"{path}:{line}: expected UTF-8 text, found {explain_bytes(path, data, start)}")


def read_jsonl(path: Path) -> list[Any]:
    """The rows of a file of one JSON value a line."""
    with reading(path):
        return parse_jsonl(path.read_bytes(), str(path))


def format_arrays(arrays: Mapping[str, "np.ndarray"]) -> bytes:
    """A safetensors file: the same arrays give the same bytes, in whatever order they come."""
    import numpy as np
    from safetensors.numpy import save

    # The package takes the memory as it lies there, also that of a transposed array.
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()})


def read_arrays(path: Path) -> dict[str, "np.ndarray"]:
    """The arrays of a safetensors file, all numbers finite; nothing is unpickled."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    with reading(path), path.open("rb") as file:
        if (length := int.from_bytes(file.read(8), "little")) > _MOST_HEADER:
            raise Damaged(
                f"{path}: expected a safetensors header of at most {_MOST_HEADER} bytes, found "
                f"one of {length}"
            )
        try:
            arrays = load_file(path)
        except (SafetensorError, AttributeError, OverflowError, TypeError, ValueError) as error:
            raise Damaged(f"{path}: expected safetensors, found: {one_line(error)}") from error
    for name, array in arrays.items():
        # No training publishes such numbers: it stops at the first that is not finite.
        largest = float(abs(array).max(initial=0)) if array.dtype.kind == "f" else 0.0
        if not largest <= _LARGEST:  # false of NaN, too
            raise Damaged(
                f"{path}: {name}: expected numbers of at most {_LARGEST:g}, found {largest:g}; "
                "copy the folder again, or train the model again"
            )
    return arrays


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_file(path: Path) -> None:
    """Refuse a device, such as /dev/zero, which has no end, a pipe and a socket.

    Opening a pipe waits for its writer, which may never come; and files are read more than once,
    which a pipe cannot be: a config would be empty the second time.
    """
    with suppress(OSError):  # whoever opens the file says what is wrong
        mode = path.stat().st_mode
        kind = next((word for is_it, word in _NO_FILES.items() if is_it(mode)), None)
        if kind:
            raise MissingInput(f"{path}: expected a file, found {kind}; name a file")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error


def parse_json(data: bytes, where: str) -> Any:
    """A JSON value, read strictly: no name twice, no number that is not finite, no deep nesting."""
    try:
        value = json.loads(
            data, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{where}: expected JSON, found: {one_line(error)}") from error
    if _deeper(value, _DEEPEST):
        raise Damaged(f"{where}: expected JSON of at most {_DEEPEST} levels, found more")
    return value


def parse_jsonl(data: bytes, where: str) -> list[Any]:
    """The rows, each on a line of its own; a line that is no JSON is damage."""
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    return [parse_json(line, f"{where}:{number}") for number, line in enumerate(lines, 1)]


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync a folder
            raise
    finally:
        os.close(descriptor)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Python lets the last of two equal names win, without a word."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name that stands there twice")
    return dict(pairs)


def _refuse(name: str) -> float:
    raise ValueError(f"{name}, which JSON does not have")


def _finite(digits: str) -> float:
    if math.isinf(value := float(digits)):
        raise ValueError(f"{digits[:20]}, which is too large a number")
    return value


def _deeper(value: Any, most: int) -> bool:
    """Whether lists and tables are nested more than `most` levels deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        insides = (each.values() if isinstance(each, dict) else each for each in level)
        level = [v for inside in insides for v in inside if isinstance(v, dict | list)]
        if not level:
            return False
    return bool(level)


def format_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False, allow_nan=False) + "\n" for r in rows)
