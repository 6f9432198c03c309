"""Stands between the sandbox and its child: a submission that kills its parent kills only this.

Run as a program by its path, with `python -I -S warden.py COMMAND...`: it imports nothing of ours,
so it starts in a moment. It adopts what the child leaves behind, even processes with a session of
their own, ends all of it, and then ends as the child did.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress

_SUBREAPER = 36  # of Linux' prctl: orphans below this process become its children


def main() -> None:
    with suppress(OSError, AttributeError):  # another system: there is no such call
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
    _, status = os.waitpid(child, 0)
    while left := list(children_of(os.getpid())):
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with suppress(OSError):  # SIGKILL needs no handler and takes none
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def children_of(process: int) -> Iterator[int]:
    """A process's children, zombies too; none where the system has no /proc."""
    yield from (int(name) for name in _processes() if _parent(name) == process)


def marked(variable: bytes) -> Iterator[int]:
    """The processes that were started with that `NAME=value` in their environment."""
    for name in _processes():
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if variable in file.read().split(b"\0"):
                yield int(name)


def _processes() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return -1  # it has ended


if __name__ == "__main__":
    main()
