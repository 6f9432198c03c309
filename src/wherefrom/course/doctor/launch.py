"""Starts a program under limits that it cannot raise; `isolation` passes this text to `python -c`.

It imports nothing of ours: it must start in a moment, and where our package is not to be seen.
"""

import ctypes
import json
import os
import resource
import signal
import struct
import sys
import time
from typing import Any

_NO_NEW_PRIVILEGES = 38  # of Linux' prctl
_NETWORK_AND_IPC = 0x48000000  # of unshare: empty ones of its own
# Landlock's three calls, and its rights: to read and execute; those of plain files; of version 4.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READING, _OF_FILES, _ALL = 0b1101, 0b100_0000_0000_0111, (1 << 15) - 1
_TCP = 0b11  # to bind and to connect


def limited(how: dict[str, Any], command: list[str]) -> None:
    """Become the program, as another user if one is named."""
    for name, value in how["limits"].items():
        which = getattr(resource, f"RLIMIT_{name}", None)
        if which is not None:
            most = resource.getrlimit(which)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(which, (value, value))
    libc = ctypes.CDLL(None)
    try:
        # If the machine runs out of memory, this is what it should end.
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if "reads" in how:
            libc.unshare(_NETWORK_AND_IPC)  # where root may: not in every container
            confine(how["reads"], how["writes"])
    except (OSError, AttributeError):  # another system
        if "reads" in how:
            raise
    if how["user"]:
        os.setgroups([])
        os.setgid(how["user"])
        os.setuid(how["user"])
    os.execv(command[0], command)


def confine(reads: list[str], writes: list[str]) -> None:
    """Deny all files but these, and TCP, by Landlock."""
    call = ctypes.CDLL(None, use_errno=True).syscall
    handled = struct.pack("QQ", _ALL, _TCP)
    rules = call(_CREATE, handled, ctypes.c_size_t(len(handled)), 0)
    for names, rights in ((reads, _READING), (writes, _ALL)):
        for name in filter(os.path.exists, names):
            allowed = rights if os.path.isdir(name) else rights & _OF_FILES
            place = os.open(name, os.O_PATH | os.O_CLOEXEC)
            call(_ADD, rules, 1, struct.pack("=Qi", allowed, place), 0)
            os.close(place)
    if call(_RESTRICT, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock")
    os.close(rules)


def boxed(how: dict[str, Any], command: list[str]) -> int:
    """Supervise the program in a sandlock; on SIGTERM, end it and all that it started."""
    import sandlock  # pyright: ignore

    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    box = sandlock.Sandbox(**how)
    quiet = sandlock.StdioMode.NULL
    process = box.popen(command, stdin=sandlock.StdioMode.INHERIT, stdout=quiet, stderr=quiet)
    wait = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while not asked and os.waitid(os.P_PID, process.pid, wait) is None:
        time.sleep(0.05)
    ended = process.wait(timeout=0.001 if asked else 5.0)
    if ended.signal > 0:
        signal.signal(ended.signal, signal.SIG_DFL)
        os.kill(os.getpid(), ended.signal)
    return ended.exit_code if ended.exit_code >= 0 else 1


if __name__ == "__main__":
    role = {"limited": limited, "boxed": boxed}[sys.argv[1]]
    sys.exit(role(json.loads(sys.argv[2]), sys.argv[3:]))
