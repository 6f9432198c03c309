"""Files inside a folder that somebody may have sent us: no link in it is ever followed.

A link inside a run folder could make us overwrite or cut a file of the user's, or read a private
one. The way to the folder itself may have links. This does not keep out somebody who changes the
folder while we work in it.
"""

import os
import stat
from io import BufferedReader
from pathlib import Path, PurePosixPath

from wherefrom.core.errors import Damaged, MissingInput

# No link is followed, and a pipe does not hold us up. Windows, which is not supported, has none of
# these flags: there the package can be imported, but links are followed.
_SAFE = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"))
_READ = os.O_RDONLY | _SAFE
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | _SAFE


def inside(root: Path, name: str) -> Path:
    """The path of a file or folder by its name in `root`; Damaged if there is a link on the way."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise Damaged(f"{root}: expected the name of a file in it, found {name!r}")
    path = root
    for part in parts:
        path = path / part
        if os.path.islink(path):  # False too where permissions forbid a look
            raise link_found(path)
    return path


def link_found(path: Path) -> Damaged:
    return Damaged(
        f"{path}: expected a file or folder of the run, found a link; links in a run folder are "
        "not followed: put what it leads to in its place"
    )


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file that is no link, pipe or device; Damaged if it has more than `most`."""
    with open_regular(path) as file:
        if most is not None and (size := os.fstat(file.fileno()).st_size) > most:
            raise Damaged(f"{path}: expected at most {most} bytes, found {size}")
        try:
            return file.read()
        except OSError as error:  # there, but the system cannot read it
            raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error


def open_regular(path: Path) -> BufferedReader:
    """A file that is no link, pipe or device, opened to be read; the caller closes it."""
    try:
        return os.fdopen(_open(path, _READ), "rb")
    except OSError as error:
        raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error


def open_to_append(path: Path) -> int:
    """A descriptor at the end of a file, which is made if it is not there."""
    return _open(path, _APPEND)


def _open(path: Path, flags: int) -> int:
    """A descriptor of a regular file.

    One that is written to must have no second name: it may be a file of the user's.
    """
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError:
        if os.path.islink(path):
            raise link_found(path) from None
        raise
    found, fault = os.fstat(descriptor), ""
    if not stat.S_ISREG(found.st_mode):
        fault = "a regular file, found something else; remove it"
    elif flags == _APPEND and found.st_nlink > 1:
        fault = (
            "a file of the run alone, found one that has another name too; put a copy in its place"
        )
    if fault:
        os.close(descriptor)
        raise Damaged(f"{path}: expected {fault}")
    return descriptor
